import TaskEvents

/// An error on one line: `KinesisError.throttled`, `Boom(code: 3)`, `NSError: The file was not found`.
package enum ErrorText {
    /// The error's type, followed by its message if the message does not begin with the type. Safe to print on a terminal.
    package static func text(_ error: ErrorDescription?) -> String {
        guard let error else { return "unknown error" }
        let type = PrintableText.text(error.type)
        let message = PrintableText.text(error.message)
        if message.isEmpty { return type.isEmpty ? "unknown error" : type }
        if type.isEmpty || message == type || message.hasPrefix(type + "(") { return message }
        return isCase(message) ? "\(type).\(message)" : "\(type): \(message)"
    }

    /// Whether the message looks like an enum case: a name, with or without values in parentheses.
    private static func isCase(_ message: String) -> Bool {
        let name = message.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        guard let first = name.first, first.isLowercase || first == "_" else { return false }
        return name.endIndex == message.endIndex || message[name.endIndex] == "(" && message.hasSuffix(")")
    }
}
