/// The rows of a list, for a search.
struct SearchedRows {
    let count: Int
    /// The row from which a search continues.
    let cursor: Int?
    /// A row's text. Called for a portion of the rows per frame.
    let text: (Int) -> String
}

/// The words that a row must contain, all of them, in any case and order.
struct SearchWords: Hashable, Sendable {
    private let words: [String]

    init(_ text: String) {
        words = text.lowercased().split(separator: " ").map(String.init)
    }

    func match(_ text: String) -> Bool {
        let text = text.lowercased()
        return words.allSatisfy { text.contains($0) }
    }
}
