struct CardDeclined: Error {
    let card: String
}

/// An error is eaten: no code looks at the result of the task.
func charge(_ card: String) {
    Task(name: "charge \(card)") {
        try await Task.sleep(for: .milliseconds(5))
        if card.hasPrefix("0") { throw CardDeclined(card: card) }
    }
}
