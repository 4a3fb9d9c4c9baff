/// A pattern for names: `*` stands for any characters, none included, `?` for one; everything else for itself.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    private let characters: [Character]

    package init(_ pattern: String) {
        description = pattern
        characters = Array(pattern)
    }

    /// In the time of the name's length times the pattern's, at worst.
    package func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (position, place) = (0, 0)
        // Where the latest star was, and up to where of the name it reaches.
        var star: (place: Int, reach: Int)?
        while position < name.count {
            if place < characters.count, characters[place] == "*" {
                star = (place, position)
                place += 1
            } else if place < characters.count, characters[place] == "?" || characters[place] == name[position] {
                place += 1
                position += 1
            } else if let last = star {
                star = (last.place, last.reach + 1)
                place = last.place + 1
                position = last.reach + 1
            } else {
                return false
            }
        }
        return characters[place...].allSatisfy { $0 == "*" }
    }
}
