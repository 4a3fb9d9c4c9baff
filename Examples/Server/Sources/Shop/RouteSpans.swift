import Hummingbird
import Tracing

/// Opens a span for each request, with the name of its route: `GET /orders/{number}`.
///
/// Hummingbird's `TracingMiddleware` gives a span its route only at the request's end.
struct RouteSpans<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await withSpan("\(request.method) \(context.endpointPath ?? "of no route")", ofKind: .server) { _ in
            try await next(request, context)
        }
    }
}
