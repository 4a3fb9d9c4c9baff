/// Finds entries by a few letters: both `fn` and `newest` find "follow the newest".
enum FuzzyMatch {
    /// How well `text` contains the letters of `query` in order; nil if it does not. Letters side by side and at the beginnings
    /// of words count most, and of two texts with as much the shorter wins. Case does not matter.
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

    /// Longer texts count as equally long: their beginning is their name.
    private static let longText = 64

    /// From a place on, each letter at the next place where it stands; the beginning of a word before others.
    private static func score(_ letters: [Character], in text: [Character], from start: Int) -> Int? {
        var score = 0
        var last: Int?
        var next = start
        for letter in letters {
            guard let place = place(of: letter, in: text, from: next, after: last) else { return nil }
            score += 1
            if last == place - 1 { score += 4 }
            if place == 0 || !text[place - 1].isLetter { score += 3 }
            last = place
            next = place + 1
        }
        return score
    }

    private static func place(of letter: Character, in text: [Character], from next: Int, after last: Int?) -> Int? {
        guard next < text.count else { return nil }
        if last == next - 1, text[next] == letter { return next }
        let places = text.indices[next...].filter { text[$0] == letter }
        return places.first { $0 == 0 || !text[$0 - 1].isLetter } ?? places.first
    }
}
