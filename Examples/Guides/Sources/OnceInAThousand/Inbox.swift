/// A reply that arrives before the waiter has stored its continuation is lost. That hardly ever happens.
actor Inbox {
    private var waiter: CheckedContinuation<Int, Never>?

    func next() async -> Int {
        await withCheckedContinuation { waiter = $0 }
    }

    func deliver(_ reply: Int) {
        waiter?.resume(returning: reply)
        waiter = nil
    }
}

/// Asks, and waits for the reply, which another task delivers.
func ask() async throws -> Int {
    let inbox = Inbox()
    let server = Task(name: "server") {
        try await Task.sleep(for: .milliseconds(2))
        await inbox.deliver(42)
    }
    let reply = await inbox.next()
    try await server.value
    return reply
}

@main
struct Client {
    static func main() async throws {
        print("The reply is \(try await ask()).")
    }
}
