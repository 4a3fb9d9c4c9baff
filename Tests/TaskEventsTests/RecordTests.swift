import CTraceLanes
import Testing

@testable import TaskEvents

struct RecordTests {
    @Test func aRecordIsHalfACacheLine() {
        #expect(MemoryLayout<trace_record>.size == 32)
        #expect(MemoryLayout<trace_record>.stride == 32)
        #expect(MemoryLayout<trace_record>.offset(of: \.time) == 0)
        #expect(MemoryLayout<trace_record>.offset(of: \.task) == 8)
        #expect(MemoryLayout<trace_record>.offset(of: \.other) == 16)
        #expect(MemoryLayout<trace_record>.offset(of: \.label) == 24)
        #expect(MemoryLayout<trace_record>.offset(of: \.executor) == 28)
        #expect(MemoryLayout<trace_record>.offset(of: \.kind) == 30)
        #expect(MemoryLayout<trace_record>.offset(of: \.detail) == 31)
        #expect(MemoryLayout<TaskEvent>.stride == 32)
    }

    @Test func aLaneHeaderSeparatesWriterAndReader() {
        #expect(MemoryLayout<trace_lane_header>.size == 128)
        #expect(MemoryLayout<trace_lane_header>.offset(of: \.head) == 0)
        #expect(MemoryLayout<trace_lane_header>.offset(of: \.read) == 64)
    }

    @Test func theRegionsHeaderFitsItsPage() {
        #expect(MemoryLayout<trace_header>.size <= 4096)
    }

    /// The numbers are part of the file format: new ones may be added, old ones never change.
    @Test func theKindsKeepTheirNumbers() {
        let names = [
            "thread", "created", "antecedent", "enqueued", "started", "suspended", "resumed", "hopped", "jobEnded", "skipped", "completed",
            "faulted", "cancelled", "errorRead", "released", "waitBegan", "waitEnded", "condition", "completedTwice", "held", "stepped",
            "lost", "mark", "cancellationAsked", "memory", "cancellationSeen", "choice", "adopted", "shielded",
        ]
        #expect(EventKind.allCases.map { "\($0)" } == names)
        #expect(EventKind.allCases.map(\.rawValue) == (1...UInt8(names.count)).map { $0 })
        #expect(TaskKind.allCases.map(\.rawValue) == (0...11).map { $0 })
    }

    @Test func anEventKeepsItsFields() {
        let event = TaskEvent(
            .faulted, task: TaskID(rawValue: 1 << 60), at: 12, other: 3, executor: ExecutorID(rawValue: 4), label: EntryID(rawValue: 5),
            detail: 6)
        #expect(event.kind == .faulted && event.task.rawValue == 1 << 60 && event.time == 12 && event.otherTask.rawValue == 3)
        #expect(event.executor.rawValue == 4 && event.label.rawValue == 5 && event.detail == 6)
    }
}
