import Foundation

/// A program that a command runs in the foreground: it has the command's terminal, input and output, and gets the signals that other
/// processes send to the command. One thread uses it.
struct ForegroundProgram {
    let child: ChildProcess
    private let signals: SignalWait

    /// Starts the program. Adds `environment` to the command's environment.
    init(_ command: [String], environment: [String: String]) throws(UserError) {
        signals = SignalWait(SignalWait.ending + SignalWait.passedOn + [SIGCONT, SIGWINCH, SIGTSTP, SIGCHLD])
        child = try ChildProcess(command, environment: environment, mask: signals.maskBefore)
    }

    /// Waits until the program has ended. Calls `meanwhile` repeatedly; it returns the milliseconds until its next call.
    func wait(meanwhile: () -> Int) -> ChildProcess.Ending {
        while true {
            if let ending = child.ending() { return ending }
            let pause = meanwhile()
            if let arrival = signals.next(milliseconds: pause) { pass(arrival) }
        }
    }

    /// Passes on a signal that another process sent. Signals from the terminal reach the program without help.
    private func pass(_ arrival: SignalWait.Arrival) {
        guard arrival.number != SIGCHLD else { return }
        if arrival.isSent { kill(child.pid, arrival.number) }
        // The command stops together with the program, so that the shell shows its prompt.
        if arrival.number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
}
