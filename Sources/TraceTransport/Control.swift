import TaskEvents

/// What a user can ask of a running program: the whole of what travels back from the inspector.
///
/// In process it is a direct call, attached it goes through ``ControlServer``.
package enum Control: Hashable, Sendable {
    /// Asks whether the program answers.
    case ping
    /// Puts a note on the trace's time line.
    case mark(String)

    /// Holds the jobs that come from now on.
    case hold(ControlScope)
    /// Lets through what is held, and everything from now on.
    case open(ControlScope)
    /// Lets one held job through, the first that came.
    case step(ControlScope)
    /// Lets the first held job of that chain through.
    case stepInto(chain: TaskID)
    /// Lets jobs through one at a time until a task faults.
    case runToFault
    /// Lets jobs through one at a time until one hops onto main.
    case runToMainHop
    /// Lets jobs through one at a time until the next is one that is asked for, which stays held.
    case runTo(JobCondition)

    /// Cancels a task that is pending.
    case cancel(TaskID)
    /// Makes a pending task fail, with an error of that message.
    case fault(TaskID, message: String)
}

/// Which executors a command is about.
package enum ControlScope: Hashable, Sendable {
    case all
    case executor(ExecutorID)
}

/// What became of a command, with a sentence for the user.
package enum ControlAnswer: Hashable, Sendable {
    case done(String)
    /// The program cannot do that: it is built with another version, or has nothing that can be held.
    case unsupported(String)
    /// It could not be done now: the task has ended, or there is no such executor.
    case failed(String)
    /// The command could not be read, or came from another user.
    case refused(String)

    package var sentence: String {
        switch self {
        case .done(let sentence), .unsupported(let sentence), .failed(let sentence), .refused(let sentence): sentence
        }
    }

    package var isDone: Bool {
        switch self {
        case .done: true
        case .unsupported, .failed, .refused: false
        }
    }
}

extension Control {
    /// The answer to a command that every program carries out, when that is done; nil for one that needs executors.
    package var carriedOutByAnyProgram: ControlAnswer? {
        switch self {
        case .ping:
            return .done("The program runs.")
        case .mark(let text):
            Emit.mark(text)
            return .done("The note is on the time line.")
        case .hold, .open, .step, .stepInto, .runToFault, .runToMainHop, .runTo, .cancel, .fault:
            return nil
        }
    }

    /// The command as the user knows it.
    package var name: String {
        switch self {
        case .ping: "ping"
        case .mark: "mark"
        case .hold: "hold"
        case .open: "open"
        case .step: "step"
        case .stepInto: "step into"
        case .runToFault: "run to the next fault"
        case .runToMainHop: "run to the next hop onto main"
        case .runTo: "run to a job"
        case .cancel: "cancel"
        case .fault: "fault"
        }
    }
}
