import TaskEvents
import TerminalCanvas
import TraceStore
import TraceTransport

extension SharedState {
    /// Goes to the samples of the job that ran longest on an executor.
    mutating func showLongestJob(of executor: ExecutorID?) -> Answer {
        guard let executor else {
            notice = "Select an executor first: this key needs one."
            return .ignored
        }
        guard history.recording?.hasProfile == true else {
            notice = "The trace has no samples: 'hopscope record --profile' takes some."
            return .ignored
        }
        requests.target = .longestJob(executor)
        return .changed
    }
}

extension Layer {
    /// The key that shows what ran in the longest job of an executor.
    static func longestJobKey(_ executor: @escaping @Sendable (Self, SharedState) -> ExecutorID?) -> KeyRow {
        KeyRow(
            .character("p"), shown: "p", help: "the samples of the longest job: of the selected executor, or of the first",
            answer { $1.showLongestJob(of: executor($0, $1)) })
    }
}
