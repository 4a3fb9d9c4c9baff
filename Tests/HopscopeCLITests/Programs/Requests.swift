import Glibc

/// A server without a network: its main task lives as long as the program, and each request is a child with children of its own. The
/// arguments are the number of requests and their rate a second.
@main
enum Requests {
    private struct NotFound: Error {}

    private actor Store {
        private var reads = 0

        func read(_ number: Int) throws -> Int {
            reads += 1
            if number.isMultiple(of: 100) { throw NotFound() }
            return reads
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let (count, rate) = (arguments[0], arguments[1])
        let store = Store()
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<count {
                group.addTask { await answer(number, store) }
                guard number.isMultiple(of: max(1, rate / 100)) else { continue }
                try await clock.sleep(until: start + .seconds(1) * number / rate)
            }
        }
        print("answered \(count) requests")
    }

    private static func answer(_ number: Int, _ store: Store) async {
        async let stored = store.read(number)
        let parts = await withTaskGroup(of: Int.self) { group in
            for part in 0..<2 { group.addTask { number &+ part } }
            return await group.reduce(0, &+)
        }
        _ = (try? await stored).map { $0 &+ parts }
    }
}
