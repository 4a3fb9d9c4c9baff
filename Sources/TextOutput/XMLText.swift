/// Escapes text for XML attributes in double quotes and for elements.
package enum XMLText {
    /// - Parameter text: printable text; control characters are not escaped.
    package static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // XML cannot represent these characters.
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            case _: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
