/// Finds entries by a few letters: both `fn` and `newest` find "follow the newest".
enum FuzzyMatch {
    /// The score of `text`, which must contain the letters of `query` in order, otherwise nil. Adjacent letters and letters at the
    /// beginnings of words score most. Among equal matches, the shorter text wins. Case does not matter.
    static func score(_ query: String, in text: String) -> Int? {
        let letters = Array(query.lowercased().filter { $0 != " " })
        guard !letters.isEmpty else { return 0 }
        let text = Array(text.lowercased())
        var best: Int?
        for start in text.indices where text[start] == letters[0] {
            guard let score = score(letters, in: text, from: start) else { break }
            best = max(best ?? .min, score)
        }
        return best.map { $0 - min(text.count, longText) / 8 }
    }

    /// Texts beyond this length count as equally long, because the name stands at the beginning.
    private static let longText = 64

    /// Matches the letters from a place on, each at its next occurrence. The beginning of a word is preferred.
    private static func score(_ letters: [Character], in text: [Character], from start: Int) -> Int? {
        var score = 0
        var last: Int?
        var next = start
        for letter in letters {
            guard let index = index(of: letter, in: text, from: next, after: last) else { return nil }
            score += 1
            if last == index - 1 { score += 4 }
            if index == 0 || !text[index - 1].isLetter { score += 3 }
            last = index
            next = index + 1
        }
        return score
    }

    private static func index(of letter: Character, in text: [Character], from next: Int, after last: Int?) -> Int? {
        guard next < text.count else { return nil }
        if last == next - 1, text[next] == letter { return next }
        let indices = text.indices[next...].filter { text[$0] == letter }
        return indices.first { $0 == 0 || !text[$0 - 1].isLetter } ?? indices.first
    }
}
