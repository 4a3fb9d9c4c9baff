import TaskEvents
import TraceFile
import TraceTransport

/// Drains lanes on a thread of its own, so that the lanes do not overrun between two looks of the inspector.
///
/// It stops at ``queueLimit`` if its batches are not taken; from then on the
/// lanes overrun, which is counted. Any thread may call it.
package final class TraceCollector: Sendable {
    /// Bytes of events that wait to be taken, at most: two million events and the thread's next round.
    package static let queueLimit = 64 << 20

    /// Small batches are put together up to this.
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

    package init(source: any LaneSource) {
        self.source = source
    }

    /// Begins to drain. Once; what was emitted before, as far as the lanes still have it, comes as well.
    package func start() {
        state.withLock { state in
            guard state.thread == nil, !state.isFinishing else { return }
            state.thread = WorkerThread(name: "hopscope lanes") { self.run() }
        }
    }

    /// What has been drained since the last call, in order. Never waits for events.
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

    /// Ends the thread. When it returns, everything that was emitted before the call waits to be taken or was lost and counted.
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
        var pump = LanePump(source: source, alarm: alarm)
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
