import Hummingbird

/// Every request asks it, so it is the queue that grows under load.
actor Visits {
    private var count = 0

    func add() -> Int {
        count += 1
        return count
    }
}

struct NoSuchOrder: Error {
    let number: String
}

/// A server with one healthy route and one that loses errors.
@main
enum Server {
    static func main() async throws {
        let visits = Visits()
        let router = Router()
        router.get("/") { _, _ in "visit \(await visits.add())\n" }
        // The answer does not wait for the task, and nothing reads its error: `hopscope.faults` counts it with the verdict `unobserved`.
        router.get("/orders/:number") { _, context in
            let number = try context.parameters.require("number")
            Task { try await save(number) }
            return "ordered\n"
        }
        let application = Application(router: router, configuration: .init(address: .hostname("0.0.0.0", port: 8080)))
        try await application.runService()
    }

    private static func save(_ number: String) async throws {
        guard Int(number) != nil else { throw NoSuchOrder(number: number) }
    }
}
