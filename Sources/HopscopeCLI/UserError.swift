import Foundation
import TaskEvents

/// Something the user can mend: a whole sentence, and the status that goes with it.
struct UserError: Error {
    let sentence: String
    let status: ExitStatus

    init(_ sentence: String, _ status: ExitStatus) {
        self.sentence = sentence
        self.status = status
    }

    /// A trace that cannot be read or written.
    init(_ problem: TraceProblem) {
        let status: ExitStatus =
            switch problem.kind {
            case .missing: .noSuchFile
            case .unreadable, .refused: .unreadable
            case .unavailable: .cannotStart
            }
        self.init(problem.description, status)
    }

    /// Whatever was thrown; what is no user's is our own fault.
    init(any error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let problem as TraceProblem: self.init(problem)
        case _: self.init("\(error)", .ownFault)
        }
    }

    /// Says it where errors are said.
    func say() {
        StandardError.say(sentence)
    }
}
