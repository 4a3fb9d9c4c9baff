import Foundation
import TaskEvents

/// A run of a command whose output an agent gets. The command has no input, and cannot write to the agent's connection. One thread uses it.
struct ObservedRun {
    struct Outcome {
        /// Such as `exited with status 1`.
        let ending: String
        /// The end of what it printed.
        let output: String
    }

    private let command: [String]
    private let folder: String?
    private let time: TimeSource

    /// The number of bytes of the output that are kept: as many as an answer shows of a text.
    private static let tail = 480
    /// The seconds between the polite and the firm request to end.
    private static let grace = 5

    init(_ command: [String], folder: String?, time: TimeSource) {
        (self.command, self.folder, self.time) = (command, folder, time)
    }

    /// Runs the command to its end. Ends it, with all that it has started in its process group, if it takes longer, if the agent cancels
    /// the call, and if a signal ends this process. Throws if it cannot start, and if it was ended for the agent.
    func wait(seconds: Int, _ call: ToolCall) throws(UserError) -> Outcome {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw UserError("No pipe can be made: \(String(cString: strerror(errno))).", .cannotStart)
        }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let signals = SignalWait(SignalWait.ending)
        defer { signals.end() }
        let child: ChildProcess
        do throws(UserError) {
            child = try ChildProcess(
                command, environment: [:], mask: signals.maskBefore, hasOwnGroup: true, output: ends[1], folder: folder)
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        var output: [UInt8] = []
        let deadline = time.now + UInt64(seconds) * 1_000_000_000
        while true {
            let ending = child.ending()
            Self.read(ends[0], into: &output)
            if let ending { return Outcome(ending: ending.words, output: Self.text(output)) }
            if let arrival = signals.next(milliseconds: 20) {
                end(child)
                die(by: arrival.number)
            }
            guard !call.isCancelled() else {
                end(child)
                throw UserError("The agent has cancelled the call, so the program was ended.", .cannotStart)
            }
            guard time.now < deadline else {
                end(child)
                throw UserError("The check did not end \(seconds) s after its begin, so it was ended.", .cannotStart)
            }
        }
    }

    /// Asks the command to end, which passes the request on to its program; after some seconds, ends all of them.
    private func end(_ child: ChildProcess) {
        kill(child.pid, SIGTERM)
        let deadline = time.now + UInt64(Self.grace) * 1_000_000_000
        while child.ending() == nil {
            usleep(10_000)
            guard time.now >= deadline else { continue }
            kill(-child.pid, SIGKILL)
            while child.ending() == nil { usleep(1_000) }
            return
        }
        kill(-child.pid, SIGKILL)
    }

    private static func read(_ descriptor: Int32, into output: inout [UInt8]) {
        // A program that prints without end must not hold this process up.
        for _ in 0..<64 {
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
                count = max(0, Foundation.read(descriptor, buffer.baseAddress, buffer.count))
            }
            guard !bytes.isEmpty else { return }
            output += bytes
            if output.count > tail { output.removeFirst(output.count - tail) }
        }
    }

    private static func text(_ output: [UInt8]) -> String {
        // The first character may have been cut.
        let whole = output.drop { $0 & 0xC0 == 0x80 }
        return String(decoding: whole, as: UTF8.self)
    }
}

extension ChildProcess.Ending {
    fileprivate var words: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .killed(let signal): "ended by signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}
