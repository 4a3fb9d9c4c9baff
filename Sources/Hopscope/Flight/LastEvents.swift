import TaskEvents
import TraceFile
import TraceTransport

/// A recording of a trace's last part. Events before a time are left out, and the recording states how many, as lost.
package final class LastEvents: TraceSink {
    private let file: TraceFileWriter
    private let start: UInt64
    private var left: UInt64 = 0
    private var hasBegun = false

    /// - Parameter start: the time of the first event that is kept, in nanoseconds of the trace.
    package init(_ file: TraceFileWriter, since start: UInt64) {
        self.file = file
        self.start = start
    }

    package func write(_ names: EntryTable) {
        file.write(names)
    }

    package func write(_ batch: TraceBatch) throws {
        var batch = batch
        if !hasBegun {
            let kept = batch.events.firstIndex { $0.time >= start } ?? batch.events.count
            // An earlier loss counts the events that it stands for.
            for event in batch.events[..<kept] { left += event.kind == .lost ? event.other : 1 }
            guard kept < batch.events.count else { return }
            batch.events.removeFirst(kept)
            batch.lanes.removeFirst(kept)
            try begin(at: batch.events[0].time)
        }
        batch.lost = batch.events.reduce(0) { $1.kind == .lost ? $0 + $1.other : $0 }
        try file.write(batch)
    }

    private func begin(at time: UInt64) throws {
        hasBegun = true
        guard left > 0 else { return }
        try file.write(Self.loss(left, at: time))
    }

    /// Stands for events of any lanes that were left out.
    static func loss(_ count: UInt64, at time: UInt64) -> TraceBatch {
        let loss = TaskEvent(.lost, at: time, other: count, detail: LossManner.ofAnyLane.rawValue)
        return TraceBatch(events: [loss], lanes: [TraceBatch.noLane], lost: count)
    }

    package func finish(sawExit: Bool, at time: UInt64) throws {
        try file.finish(sawExit: sawExit, at: time)
    }
}
