import Foundation
import Synchronization
import TaskEvents

@testable import TraceTransport

/// A directory for one test's regions, which goes with it.
final class RegionFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "hopscope-test-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var directory: TraceDirectory {
        get throws { try TraceDirectory(path: path) }
    }

    /// The names of all files in it, hidden ones among them.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

extension EventBus.Options {
    /// Lanes that are soon full, and a file that is soon made.
    static func small(lanes: UInt32 = 4, capacity: UInt32 = 63, program: String = "little one") -> Self {
        Self(laneLimit: lanes, laneCapacity: capacity, entryLimit: 256, entryBytes: 1 << 14, program: program)
    }
}

/// Everything that lanes hold, and what they say of what they do not.
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

    /// The numbers of the tasks that have resumed: the tests' way of counting.
    var numbers: [UInt64] {
        events.filter { $0.kind == .resumed }.map(\.task.rawValue)
    }
}

/// Emits one event a number.
func emit(_ numbers: ClosedRange<UInt64>) {
    for number in numbers { Emit.resumed(TaskID(rawValue: number)) }
}

/// Looks on from a thread of its own while a child process runs: an exit test keeps the thread that waits for its child, and there may be no
/// other one of its kind.
final class Onlooker<Result: Sendable>: Sendable {
    private let state = Mutex<(isOver: Bool, result: Result?)>((false, nil))
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Parameter body: is handed what says whether the child has ended, and with it the hope for more.
    init(_ body: @escaping @Sendable (_ isOver: () -> Bool) -> Result?) {
        let thread = WorkerThread {
            let result = body { self.state.withLock { $0.isOver } }
            self.state.withLock { $0.result = result }
        }
        self.thread.withLock { $0 = thread }
    }

    /// What it saw. After the child's end, once.
    func finish() -> Result? {
        state.withLock { $0.isOver = true }
        let thread = thread.withLock { $0 }
        thread?.join()
        return state.withLock { $0.result }
    }
}

extension RegionFolder {
    /// Waits until a region of so many records is published here; nil if it is over before.
    func waitForTrace(records: UInt64 = 0, unless isOver: () -> Bool) -> PublishedTrace? {
        while !isOver() {
            if let trace = try? directory.traces().first, trace.recordCount >= records { return trace }
            sched_yield()
        }
        return nil
    }
}
