import TaskEvents
import TraceAnalysis

/// The error that functions of ``Inspector`` and ``Recording`` throw.
public struct HopscopeError: Error, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Kind: Hashable, Sendable {
        /// A file or directory does not exist.
        case missing
        /// A file exists and is no recording, or is damaged.
        case unreadable
        /// A file or directory belongs to another user, is open to other users, or is a symbolic link.
        case refused
        /// The system does not provide what is needed: memory, a thread, room on the disk, or a terminal.
        case unavailable
        /// A setting, a rule or a query is not understood.
        case invalid
    }

    /// The part of the error that code can act on.
    public let kind: Kind
    /// A sentence for the user that names the cause.
    public let description: String

    /// Wraps an error of one of this package's modules.
    init(_ error: any Error) {
        switch error {
        case let error as HopscopeError: self = error
        case let problem as TraceProblem: self.init(Self.kind(of: problem), problem.description)
        case is SettingsFile.Problem, is QueryError: self.init(.invalid, "\(error)")
        case _: self.init(.unavailable, "\(error)")
        }
    }

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    private static func kind(of problem: TraceProblem) -> Kind {
        switch problem.kind {
        case .missing: .missing
        case .unreadable: .unreadable
        case .refused: .refused
        case .unavailable: .unavailable
        }
    }

    /// Runs `body`, and throws its error as one of this type.
    static func wrap<Result: ~Copyable>(_ body: () throws -> Result) throws(HopscopeError) -> Result {
        do { return try body() } catch { throw HopscopeError(error) }
    }
}
