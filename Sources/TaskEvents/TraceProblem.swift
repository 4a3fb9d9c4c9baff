/// Why a trace cannot be written, published or read: a whole sentence for the user, and what sort of trouble it is.
package struct TraceProblem: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// There is no such file, directory or process.
        case missing
        /// It is there and is no trace that can be read: another format, cut, damaged.
        case unreadable
        /// It is not to be trusted: another user's, a symbolic link, open to others.
        case refused
        /// The system does not lend what is needed.
        case unavailable
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
