import CTraceLanes
import Glibc

/// The reason why a trace cannot be written, published or read: a whole sentence for the user, and the kind of problem.
package struct TraceProblem: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The file, directory or process does not exist.
        case missing
        /// The file exists, but is not a readable trace: it has another format, or is cut off or damaged.
        case unreadable
        /// The file or directory cannot be trusted: it belongs to another user, is a symbolic link, or is open to other users.
        case refused
        /// The system does not provide a needed resource.
        case unavailable
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

extension TraceProblem.Kind {
    /// The kind that an error number of the system stands for.
    package init(error: Int32) {
        switch error {
        case ENOENT, ENOTDIR: self = .missing
        case EPERM, EACCES, ELOOP: self = .refused
        default: self = .unavailable
        }
    }
}

extension TraceProblem {
    /// A problem that a C function reported. The error number decides its kind.
    package init(_ problem: trace_problem, error: Int32 = errno) {
        self.init(Kind(error: error), Self.sentence(of: problem))
    }

    private static func sentence(of problem: trace_problem) -> String {
        withUnsafeBytes(of: problem.sentence) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The system's message for an error number.
    package static func words(of error: Int32) -> String {
        String(cString: strerror(error))
    }
}
