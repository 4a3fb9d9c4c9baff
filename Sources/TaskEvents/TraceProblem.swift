import CTraceLanes
import Glibc

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

extension TraceProblem {
    /// What a C function explained, by the error number that it left.
    package init(_ problem: trace_problem, error: Int32 = errno) {
        let kind: Kind =
            switch error {
            case ENOENT, ENOTDIR: .missing
            case EPERM, EACCES, ELOOP: .refused
            default: .unavailable
            }
        self.init(kind, Self.sentence(of: problem))
    }

    private static func sentence(of problem: trace_problem) -> String {
        withUnsafeBytes(of: problem.sentence) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The system's words for an error number.
    package static func words(of error: Int32) -> String {
        String(cString: strerror(error))
    }
}
