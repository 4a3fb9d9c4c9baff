import Glibc
import RemoteTasks
import TaskEvents
import TraceReport

/// Looks at a process several times, to tell the tasks that wait from those that go on, and once for what holds them up.
struct StuckLook {
    let process: SwiftProcess
    /// The deadline that the program has missed, in words. Nil for a program that has none.
    let deadline: String?
    let time: TimeSource
    /// The nanoseconds that one look may take.
    var limit = SnapshotLook.Limit.hung

    /// The microseconds between two looks. One of several looks finds a task that polls somewhere else. The long pauses are for programs
    /// that use a processor, or have a task that sleeps.
    private static let pauses: [UInt32] = [20_000, 20_000, 20_000, 20_000, 20_000]
    private static let longPauses: [UInt32] = [150_000, 150_000, 150_000, 150_000, 150_000, 150_000]
    /// The nanoseconds after which the looks at a large process end.
    private static let mostTime: UInt64 = 2_000_000_000
    /// A task on a processor shows no place, so this many last looks are taken for one.
    private static let mostLastLooks = 5

    func report() throws(SnapshotProblem) -> HangReport {
        let look = SnapshotLook(ofProcess: process.pid)
        let earlier = try looks(look)
        var hang = try lastReport(look, since: earlier)
        for _ in 1..<Self.mostLastLooks where hang.isOnProcessor {
            usleep(Self.pauses[0])
            hang = try lastReport(look, since: earlier)
        }
        // A task that goes on may have waited at an earlier look, which shows its place.
        if hang.isOnProcessor {
            let reports = earlier.lazy.reversed().map { report(of: $0, since: earlier) }
            hang = reports.first { !$0.isOnProcessor } ?? hang
        }
        return hang
    }

    /// Cheap looks, without a search for holders.
    private func looks(_ look: SnapshotLook) throws(SnapshotProblem) -> [Snapshot] {
        let since = time.now
        let processorTime = process.processorTime
        var looks = [try look.snapshot(within: limit)]
        for pause in Self.pauses + Self.longPauses where time.now - since < Self.mostTime {
            let isActive = process.processorTime != processorTime || looks.contains { !$0.timers.isEmpty }
            guard isActive || looks.count <= Self.pauses.count else { break }
            usleep(pause)
            looks.append(try look.snapshot(within: limit))
        }
        return looks
    }

    private func lastReport(_ look: SnapshotLook, since earlier: [Snapshot]) throws(SnapshotProblem) -> HangReport {
        report(of: try look.snapshot(within: limit, findsHolders: true), since: earlier)
    }

    private func report(of snapshot: Snapshot, since earlier: [Snapshot]) -> HangReport {
        HangReport(SnapshotReport(snapshot, program: process.program, route: .snapshot), since: earlier, deadline: deadline)
    }
}
