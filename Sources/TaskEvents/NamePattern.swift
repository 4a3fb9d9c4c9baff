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
        var (position, index) = (0, 0)
        // The position of the latest star, and the end of the part of the name that it matches so far.
        var star: (index: Int, reach: Int)?
        while position < name.count {
            if index < characters.count, characters[index] == "*" {
                star = (index, position)
                index += 1
            } else if index < characters.count, characters[index] == "?" || characters[index] == name[position] {
                index += 1
                position += 1
            } else if let last = star {
                star = (last.index, last.reach + 1)
                index = last.index + 1
                position = last.reach + 1
            } else {
                return false
            }
        }
        return characters[index...].allSatisfy { $0 == "*" }
    }
}
