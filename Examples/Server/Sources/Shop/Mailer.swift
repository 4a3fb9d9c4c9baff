/// A request hangs: the mail server answers every order but the seventh.
actor Mailer {
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    func confirm(_ order: Int) async {
        Task(name: "mail \(order)") {
            try await Task.sleep(for: .milliseconds(20))
            if order != 7 { answered(order) }
        }
        await withCheckedContinuation { waiting[order] = $0 }
    }

    private func answered(_ order: Int) {
        waiting.removeValue(forKey: order)?.resume()
    }
}
