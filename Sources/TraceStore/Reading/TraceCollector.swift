import TaskEvents
import TraceTransport

/// Drains lanes on a thread of its own, so that they do not overrun between two updates of the inspector.
///
/// The collector pauses when ``queueLimit`` bytes wait to be taken. The lanes then overrun, and the lost records are counted. Any thread
/// may call it.
package final class TraceCollector: Sendable {
    /// The largest size of the events that wait to be taken, in bytes: two million events. The thread's current round may exceed it.
    package static let queueLimit = 64 << 20

    /// Small batches are joined up to this number of events.
    private static let batchSize = 16_384

    private struct State {
        var batches: [TraceBatch] = []
        var queuedBytes = 0
        var thread: WorkerThread?
        var isFinishing = false
    }

    private let source: any LaneSource
    private let state = Guarded(State())
    private let alarm = Alarm()

    private let pace: DrainPace

    package init(source: any LaneSource, pace: DrainPace = .prompt) {
        self.source = source
        self.pace = pace
    }

    /// Starts draining. Call it once. Earlier events are included as far as the lanes still hold them. Throws if the system makes no more
    /// threads.
    package func start() throws(TraceProblem) {
        try state.withLock { state throws(TraceProblem) in
            guard state.thread == nil, !state.isFinishing else { return }
            state.thread = try WorkerThread(name: "hopscope lanes") { self.run() }
        }
    }

    /// The events drained since the last call, in order. Never waits for events.
    package func take() -> [TraceBatch] {
        let taken = state.withLock { state in
            defer {
                state.batches = []
                state.queuedBytes = 0
            }
            return state.batches
        }
        return taken
    }

    /// Ends the thread. On return, every event emitted before the call is ready to be taken, or was lost and counted.
    package func finish() {
        let thread = state.withLock { state in
            state.isFinishing = true
            defer { state.thread = nil }
            return state.thread
        }
        alarm.ring()
        thread?.join()
    }

    private func run() {
        var pump = LanePump(source: source, alarm: alarm, pace: pace)
        while !state.withLock({ $0.isFinishing }) {
            if hasRoom { pump.turn { queue($0) } } else { pump.rest() }
        }
        pump.finish { queue($0) }
    }

    private var hasRoom: Bool {
        state.withLock { $0.queuedBytes < Self.queueLimit }
    }

    private func queue(_ batch: TraceBatch) {
        guard !batch.isEmpty else { return }
        state.withLock { state in
            state.queuedBytes += batch.events.count * MemoryLayout<TaskEvent>.stride
            if let last = state.batches.indices.last, state.batches[last].events.count + batch.events.count <= Self.batchSize {
                state.batches[last].append(batch)
            } else {
                state.batches.append(batch)
            }
        }
    }
}
