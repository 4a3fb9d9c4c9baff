/// A shop whose mailer confirms orders. One confirmation never comes.
actor Mailer {
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    func confirm(order: Int) async {
        await withCheckedContinuation { waiting[order] = $0 }
    }

    func received(order: Int) {
        waiting.removeValue(forKey: order)?.resume()
    }
}

@main
struct Shop {
    static let mailer = Mailer()

    static func handle(order: Int) async {
        await mailer.confirm(order: order)
    }

    static func main() async throws {
        async let replies: Void = answer()
        await withTaskGroup(of: Void.self) { group in
            for order in 1...10 {
                group.addTask(name: "order \(order)") { await handle(order: order) }
            }
        }
        try await replies
    }

    /// The mail server answers every order but the seventh.
    static func answer() async throws {
        for order in 1...10 where order != 7 {
            try await Task.sleep(for: .milliseconds(20))
            await mailer.received(order: order)
        }
    }
}
