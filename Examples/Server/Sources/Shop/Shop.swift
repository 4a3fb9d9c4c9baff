import Hummingbird
import Tracing

/// Each route but the first has a bug of its own, which stands in a file of its own.
@main
enum Shop {
    static func main() async throws {
        InstrumentationSystem.bootstrap(SpanNames(wrapped: NoOpTracer()))
        let mailer = Mailer()
        let catalogue = Catalogue()
        let stock = Stock()
        let feeds = Feeds()

        let router = Router()
        router.add(middleware: RouteSpans())
        router.get("/") { _, _ in "visit \(await Visits.shared.add())\n" }
        router.get("/orders/:number") { _, context in
            let number = try context.parameters.require("number", as: Int.self)
            await mailer.confirm(number)
            return "order \(number) is confirmed\n"
        }
        router.get("/cart") { _, _ in "\(await catalogue.prices().count) prices\n" }
        router.get("/pay/:card") { _, context in
            charge(try context.parameters.require("card"))
            return "paid\n"
        }
        router.get("/report") { _, _ in
            writeReport()
            return "the report is on its way\n"
        }
        router.get("/stock/:item") { _, context in
            "\(await stock.count(try context.parameters.require("item")))\n"
        }
        router.get("/follow/:name") { _, context in
            await feeds.follow(try context.parameters.require("name"))
            return "followed\n"
        }

        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
        try await application.runService()
    }
}

/// The healthy route counts its visits on the main actor.
@MainActor
final class Visits {
    static let shared = Visits()
    private var count = 0

    func add() -> Int {
        count += 1
        return count
    }
}
