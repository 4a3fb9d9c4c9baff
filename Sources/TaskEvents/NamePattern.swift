/// A pattern for names. `*` matches any number of characters, `?` matches one, and every other character matches itself.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    private let characters: [Character]

    package init(_ pattern: String) {
        description = pattern
        characters = Array(pattern)
    }

    /// Takes time proportional to the name's length times the pattern's length, at worst.
    package func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (position, place) = (0, 0)
        // The position of the latest star, and the end of the part of the name that it matches so far.
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
