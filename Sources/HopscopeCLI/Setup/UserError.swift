import RemoteTasks
import TaskEvents

/// An error that the user can fix: a whole sentence, and the exit status for it.
struct UserError: Error {
    let sentence: String
    let status: ExitStatus

    init(_ sentence: String, _ status: ExitStatus) {
        self.sentence = sentence
        self.status = status
    }

    /// The error for a trace that cannot be read or written.
    init(_ problem: TraceProblem) {
        let status: ExitStatus =
            switch problem.kind {
            case .missing: .noSuchFile
            case .unreadable, .refused: .unreadable
            case .unavailable: .cannotStart
            }
        self.init(problem.description, status)
    }

    /// Wraps any error. An error of another type counts as a fault of Hopscope itself.
    init(any error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let problem as TraceProblem: self.init(problem)
        case let problem as SnapshotProblem: self.init(problem)
        case _: self.init("\(error)", .ownFault)
        }
    }

    /// Prints the sentence on standard error.
    func say() {
        StandardError.say(sentence)
    }
}
