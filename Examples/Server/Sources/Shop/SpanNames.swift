import Glibc
import Tracing

/// A tracer that hands all on to another one, and calls each task after the span that it runs. Hopscope then shows a request as its route.
/// Copy this file; without Hopscope it does nothing of its own.
struct SpanNames<Wrapped: Tracer>: Tracer {
    let wrapped: Wrapped

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file: String, line: UInt
    ) -> Wrapped.Span {
        var context = context()
        let task = withUnsafeCurrentTask { $0?.hashValue }
        // A span inside another one of the same task leaves the name as it is.
        if context[NamedTask.self] != task {
            nameTask?(operationName)
            context[NamedTask.self] = task
        }
        return wrapped.startSpan(
            operationName, context: context, ofKind: kind, at: instant(), function: function, file: file, line: line)
    }

    func activeSpan(identifiedBy context: ServiceContext) -> Wrapped.Span? { wrapped.activeSpan(identifiedBy: context) }

    @available(*, deprecated, message: "The tracer decides.")
    func forceFlush() { wrapped.forceFlush() }

    func extract<Carrier, Extract: Extractor>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract.Carrier == Carrier {
        wrapped.extract(carrier, into: &context, using: extractor)
    }

    func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier {
        wrapped.inject(context, into: &carrier, using: injector)
    }
}

/// The task that the innermost span has named.
private enum NamedTask: ServiceContextKey {
    typealias Value = Int
}

/// The function of Hopscope's probe that names the running task. Nil in a program that runs without the probe.
private let nameTask = dlsym(nil, "hopscope_name_task").map {
    unsafeBitCast($0, to: (@convention(c) (UnsafePointer<CChar>) -> Void).self)
}
