import Foundation
import Synchronization
import TaskEvents
import TraceTestKit

@testable import TraceTransport

/// A directory for one test's regions, deleted with the object.
final class RegionFolder: Sendable {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    var path: String { scratch.path }

    var directory: TraceDirectory {
        get throws { try TraceDirectory(path: path) }
    }

    /// The names of all files in it, with hidden ones.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

extension EventBus.Options {
    /// Small lanes and a small file.
    static func small(lanes: UInt32 = 4, capacity: UInt32 = 63, program: String = "little one") -> Self {
        Self(laneLimit: lanes, laneCapacity: capacity, entryLimit: 256, entryBytes: 1 << 14, program: program)
    }
}

/// All events of all lanes, and the counts of what the lanes lost.
struct LaneContents {
    var events: [TaskEvent] = []
    var lost: UInt64 = 0
    var entries = EntryTable()

    init(of source: some LaneSource, limit: Int = 1000) {
        var heads: [UInt64] = []
        source.copyHeads(to: &heads)
        for lane in heads.indices {
            var next: UInt64 = 0
            while next < heads[lane] {
                let before = next
                lost &+= source.read(lane: UInt32(lane), from: &next, into: &events, limit: limit)
                if next == before { break }
            }
        }
        source.copyEntries(to: &entries)
    }

    /// The numbers of the resumed tasks, by which the tests count.
    var numbers: [UInt64] {
        events.filter { $0.kind == .resumed }.map(\.task.rawValue)
    }
}

/// Emits one event a number.
func emit(_ numbers: ClosedRange<UInt64>) {
    for number in numbers { Emit.resumed(TaskID(rawValue: number)) }
}

/// Observes from its own thread while a child process runs: an exit test blocks the thread that waits for its child, and the
/// concurrency pool may have no other.
final class Onlooker<Result: Sendable>: Sendable {
    private let state = Mutex<(isOver: Bool, result: Result?)>((false, nil))
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Parameter body: receives a closure that says whether the child has ended. After that no more events come.
    init(_ body: @escaping @Sendable (_ isOver: () -> Bool) -> Result?) throws {
        let thread = try WorkerThread {
            let result = body { self.state.withLock { $0.isOver } }
            self.state.withLock { $0.result = result }
        }
        self.thread.withLock { $0 = thread }
    }

    /// The observations, available once after the child's end.
    func finish() -> Result? {
        state.withLock { $0.isOver = true }
        let thread = thread.withLock { $0 }
        thread?.join()
        return state.withLock { $0.result }
    }
}

extension RegionFolder {
    /// Waits until a region with that many records is published; nil if the child ends before.
    func waitForTrace(records: UInt64 = 0, unless isOver: () -> Bool) -> PublishedTrace? {
        while !isOver() {
            if let trace = try? directory.traces().first, trace.recordCount >= records { return trace }
            sched_yield()
        }
        return nil
    }
}
