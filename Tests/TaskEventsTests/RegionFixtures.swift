import Foundation
import TaskEvents

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
