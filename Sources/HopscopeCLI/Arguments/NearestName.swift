/// Finds the name that a user may have meant by a misspelt one.
enum NearestName {
    /// ` Did you mean 'attach'?`, or nothing if no name is near.
    static func question(_ word: String, among names: [String]) -> String {
        nearest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// The first name that begins with the word, or the one with the fewest different letters: at most two, and under half of the word.
    static func nearest(to word: String, among names: [String]) -> String? {
        guard !word.isEmpty, word.count < 64 else { return nil }
        if word.count > 2, let longer = names.first(where: { $0.hasPrefix(word.lowercased()) }) { return longer }
        let near = names.map { (name: $0, distance: distance(Array(word.lowercased()), Array($0))) }.min { $0.distance < $1.distance }
        guard let near, near.distance <= 2, near.distance * 2 < word.count else { return nil }
        return near.name
    }

    /// The number of letters to insert, remove or replace.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
