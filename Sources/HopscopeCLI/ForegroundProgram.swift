import Foundation

/// A program that a command has started in its own place: with the command's terminal, input and output, and with the signals that are sent to
/// the command. Used by one thread.
struct ForegroundProgram {
    let child: ChildProcess
    private let signals: SignalWait

    /// Starts it. `environment` is added to the command's.
    init(_ command: [String], environment: [String: String]) throws(UserError) {
        signals = SignalWait(SignalWait.ending + SignalWait.passedOn + [SIGCONT, SIGWINCH, SIGTSTP, SIGCHLD])
        child = try ChildProcess(command, environment: environment, mask: signals.maskBefore)
    }

    /// Waits until it has ended; what is to be done in the meantime says after how many milliseconds it is to be done again.
    func wait(meanwhile: () -> Int) -> ChildProcess.Ending {
        while true {
            if let ending = child.ending() { return ending }
            let pause = meanwhile()
            if let arrival = signals.next(milliseconds: pause) { pass(arrival) }
        }
    }

    /// What the terminal sends has reached the program already.
    private func pass(_ arrival: SignalWait.Arrival) {
        guard arrival.number != SIGCHLD else { return }
        if arrival.isSent { kill(child.pid, arrival.number) }
        // The command stops with the program, so that a shell has its prompt again.
        if arrival.number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
}
