import TaskEvents

/// A user's command to a running program. Only commands travel from the inspector to the program.
///
/// Inside the process a command is a direct call. An attached inspector sends it through ``ControlServer``.
package enum Control: Hashable, Sendable {
    /// Asks whether the program answers.
    case ping
    /// Puts a mark among the trace's events.
    case mark(String)

    /// Holds all jobs that are enqueued from now on.
    case hold(ControlScope)
    /// Lets all held jobs through, and all jobs from now on.
    case open(ControlScope)
    /// Lets through the job that has been held longest.
    case step(ControlScope)
    /// Lets through the first held job of the chain.
    case stepInto(chain: TaskID)
    /// Lets jobs through one at a time until a task faults.
    case runToFault
    /// Lets jobs through one at a time until one hops onto main.
    case runToMainHop
    /// Lets jobs through one at a time until the next job meets the condition. That job stays held.
    case runTo(JobCondition)

    /// Cancels a task that is pending.
    case cancel(TaskID)
    /// Makes a pending task fail with an error that has this message.
    case fault(TaskID, message: String)
}

/// The executors that a command applies to.
package enum ControlScope: Hashable, Sendable {
    case all
    case executor(ExecutorID)
}

/// The result of a command, with a sentence for the user.
package enum ControlAnswer: Hashable, Sendable {
    case done(String)
    /// The program does not support the command: it was built with another version, or it has no executors that can be held.
    case unsupported(String)
    /// The command cannot be carried out now: the task has ended, or the executor does not exist.
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
    /// Carries out a command that every program supports, and returns the answer; nil for a command that needs executors.
    package var carriedOutByAnyProgram: ControlAnswer? {
        switch self {
        case .ping:
            return .done("The program runs.")
        case .mark(let text):
            Emit.mark(text)
            return .done("The mark is among the events.")
        case .hold, .open, .step, .stepInto, .runToFault, .runToMainHop, .runTo, .cancel, .fault:
            return nil
        }
    }

    /// The command's name in messages to the user.
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
