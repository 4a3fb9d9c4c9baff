extension Character {
    /// Marks in text that a canvas writes: between them it is bold. They take no column.
    package static let boldBegins: Character = "\u{1}"
    package static let boldEnds: Character = "\u{2}"
}

extension String {
    /// The sentence with its names in bold instead of between backticks. Unchanged if a backtick has no partner.
    package var withBoldNames: String {
        guard utf8.contains(UInt8(ascii: "`")) else { return self }
        let parts = split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return self }
        return parts.enumerated().reduce(into: "") { text, part in
            text += part.offset % 2 == 1 ? "\(Character.boldBegins)\(part.element)\(Character.boldEnds)" : String(part.element)
        }
    }
}
