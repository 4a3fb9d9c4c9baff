import TaskEvents
import TraceTransport

/// Copies lanes to a sink on a thread of its own, from the events they still hold to those emitted until the recorder is stopped.
///
/// The recorder queues nothing: a slow sink lets the lanes overrun. The loss is counted and noted in the recording. Any thread may call it.
package final class TraceRecorder: Sendable {
    private struct State {
        var thread: WorkerThread?
        var isFinishing = false
        var sawExit = false
        /// The first error that the sink threw. The sink receives nothing after it.
        var failure: (any Error)?
    }

    private let state = Guarded(State())
    private let alarm = Alarm()
    private let watches: Bool

    /// Starts recording. Throws if the system makes no more threads.
    ///
    /// - Parameter watches: whether the recording lasts until the source was seen last. If not, it lasts until its last event.
    package init(
        source: any LaneSource, sink: sending some TraceSink, pace: DrainPace = .prompt, watches: Bool = false
    ) throws(TraceProblem) {
        self.watches = watches
        let work = RecorderWork(sink)
        let thread = try WorkerThread(name: "hopscope record") { self.run(source, work, pace) }
        state.withLock { $0.thread = thread }
    }

    /// Stops recording. On return, every event emitted before the call is in the sink, or was lost and counted there, and the sink is
    /// finished. Throws the error that the sink threw at any time. A second call does nothing.
    ///
    /// - Parameter sawExit: whether the program had ended before the call.
    package func stop(sawExit: Bool = false) throws {
        let thread = state.withLock { state in
            if !state.isFinishing { (state.isFinishing, state.sawExit) = (true, sawExit) }
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

    private func run(_ source: any LaneSource, _ work: RecorderWork, _ pace: DrainPace) {
        var pump = LanePump(source: source, alarm: alarm, pace: pace)
        var knownUntil: UInt64 = 0
        do {
            while !state.withLock({ $0.isFinishing }) {
                // The lanes of an ended process do not tell when it ended, but it still ran at this time.
                knownUntil = max(knownUntil, source.now)
                try pump.turn { try work.sink.write($0) }
            }
            knownUntil = max(knownUntil, source.now)
            try pump.finish { try work.sink.write($0) }
            try work.sink.finish(sawExit: state.withLock { $0.sawExit }, at: watches ? knownUntil : 0)
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}

/// Transfers the sink to the recorder's thread, the only one that uses it from then on.
private final class RecorderWork: @unchecked Sendable {
    var sink: any TraceSink

    init(_ sink: sending some TraceSink) {
        self.sink = sink
    }
}
