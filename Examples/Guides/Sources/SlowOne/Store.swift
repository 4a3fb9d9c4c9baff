/// A store that compacts itself after every hundredth write: the request that comes then waits for it.
actor Store {
    private var writes = 0

    func write() {
        writes += 1
        work(.microseconds(50))
    }

    func compact() {
        work(.milliseconds(400))
    }

    private func work(_ time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }
}

@main
struct Service {
    static let store = Store()

    static func request() async {
        await store.write()
    }

    static func main() async throws {
        for number in 1...200 {
            if number == 150 {
                Task(name: "compaction") { await store.compact() }
                try await Task.sleep(for: .milliseconds(5))
            }
            await Task(name: "request \(number)") { await request() }.value
        }
    }
}
