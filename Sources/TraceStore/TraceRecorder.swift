import TaskEvents
import TraceFile
import TraceTransport

/// Copies lanes to a sink on a thread of its own, from what they still hold to what is emitted until it is stopped.
///
/// Nothing is queued: a sink that is slow lets the lanes overrun, which is counted and stands in the recording. Any thread may call it.
package final class TraceRecorder: Sendable {
    private struct State {
        var thread: WorkerThread?
        var isFinishing = false
        /// What the sink threw first; it is given nothing more.
        var failure: (any Error)?
    }

    private let state = Guarded(State())
    private let alarm = Alarm()

    /// Begins to record.
    package init(source: any LaneSource, sink: sending some TraceSink) {
        let work = RecorderWork(sink)
        let thread = WorkerThread(name: "hopscope record") { self.run(source, work) }
        state.withLock { $0.thread = thread }
    }

    /// When it returns, everything that was emitted before the call is in the sink, or was lost and counted there, and the sink is
    /// finished. Throws what the sink threw, whenever that was; does nothing more the second time.
    package func stop() throws {
        let thread = state.withLock { state in
            state.isFinishing = true
            defer { state.thread = nil }
            return state.thread
        }
        alarm.ring()
        thread?.join()
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    private func run(_ source: any LaneSource, _ work: RecorderWork) {
        var pump = LanePump(source: source, alarm: alarm)
        do {
            while !state.withLock({ $0.isFinishing }) { try pump.turn { try work.sink.write($0) } }
            try pump.finish { try work.sink.write($0) }
            try work.sink.finish()
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}

/// Takes the sink to the recorder's thread, which alone uses it from then on.
private final class RecorderWork: @unchecked Sendable {
    var sink: any TraceSink

    init(_ sink: sending some TraceSink) {
        self.sink = sink
    }
}
