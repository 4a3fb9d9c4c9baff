import CTraceLanes
import Synchronization
import TaskEvents

/// An error that tasks failed with, and its entry in the trace.
///
/// All tasks that forward an error share one failure, so a recording describes the error once: its text may take thirty times as long as a
/// link of a chain. Any thread may use it.
final class Failure: Sendable {
    let error: any Error
    /// The low half of the recording's number, and the entry's id; 0 before the first description.
    private let described = Atomic<UInt64>(0)

    init(_ error: any Error) {
        self.error = error
    }

    /// The error's entry in the current recording; `.none` if nothing is being recorded.
    var entry: EntryID {
        guard trace_is_recording() else { return .none }
        let known = described.load(ordering: .relaxed), recording = trace_recording() << 32
        if known & ~UInt64(UInt32.max) == recording, known != 0 { return EntryID(rawValue: UInt32(truncatingIfNeeded: known)) }
        let entry = Emit.error(error)
        described.store(recording | UInt64(entry.rawValue), ordering: .relaxed)
        return entry
    }
}
