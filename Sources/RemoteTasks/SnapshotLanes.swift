import CodeSymbols
import Glibc
import TaskEvents
import TraceTransport

/// The events of a process that runs without the probe, as lanes. A thread takes snapshots until it is stopped, or until the process has
/// ended.
///
/// Any thread may read the lanes. The process is not stopped. A slow snapshot delays the next one, so that reading takes at most a fifth of
/// a processor.
package final class SnapshotLanes: LaneSource {
    package let program: String
    package let pid: Int32
    package let startRealtime: UInt64
    private let startTicks: UInt64?
    private let time: TimeSource
    private let startMonotonic: UInt64

    private struct State {
        var lanes: [Lane] = [Lane()]
        var entries: [Entry] = []
        var isStopped = false
        var hasEnded = false
        /// Nanoseconds from the beginning of one snapshot to the beginning of the next.
        var period = SnapshotLanes.shortestPeriod
    }

    /// A lane's last events.
    private struct Lane {
        var events: [TaskEvent] = []
        /// The number of earlier events that the lane no longer has.
        var gone: UInt64 = 0

        mutating func append(_ event: TaskEvent) {
            events.append(event)
            guard events.count > 2 * SnapshotLanes.mostEvents else { return }
            events.removeFirst(events.count - SnapshotLanes.mostEvents)
            gone += UInt64(SnapshotLanes.mostEvents + 1)
        }
    }

    private let state = Guarded(State())

    fileprivate static let shortestPeriod: UInt64 = 500_000_000
    fileprivate static let mostEvents = 1 << 19

    /// Takes the first snapshot. Throws if the process cannot be read.
    package init(ofProcess pid: Int32, time: TimeSource) throws(SnapshotProblem) {
        self.pid = pid
        self.time = time
        program = SwiftProcess.program(of: pid)
        startTicks = SwiftProcess.startTicks(of: pid)
        startMonotonic = time.now
        startRealtime = time.date
        var work = Work(look: SnapshotLook(ofProcess: pid))
        add(work.events(of: try work.look.snapshot(within: SnapshotLook.Limit.named), at: now), work)
        // From here on, only the thread uses `work`.
        let handed = Guarded(work)
        do throws(TraceProblem) {
            let thread = try WorkerThread(name: "hopscope snaps") { [self] in
                handed.withLock { work in run(&work) }
            }
            thread.detach()
        } catch {
            throw SnapshotProblem(.noThread, of: "Process \(pid)")
        }
    }

    /// The state that the thread keeps from one snapshot to the next.
    private struct Work {
        let look: SnapshotLook
        var events = SnapshotEvents()
        let symbolizer = Symbolizer()
        var symbols: [CodeAddress: [CodeSymbol]] = [:]

        mutating func events(of snapshot: Snapshot, at time: UInt64) -> [SnapshotEvents.Placed] {
            let new = Set(snapshot.codeAddresses.values).filter { symbols[$0] == nil }
            if !new.isEmpty { symbols.merge(symbolizer.frames(of: new)) { _, new in new } }
            return events.events(of: snapshot, SnapshotSymbols(of: snapshot, symbols: symbols), at: time)
        }
    }

    private func run(_ work: inout Work) {
        var due = now + Self.shortestPeriod
        while true {
            while now < due, !isOver { usleep(20_000) }
            if isOver { return }
            let began = now
            do throws(SnapshotProblem) {
                let snapshot = try work.look.snapshot(within: SnapshotLook.Limit.named)
                // Another program may have taken the process's number.
                guard SwiftProcess.startTicks(of: pid) == startTicks else { return end() }
                add(work.events(of: snapshot, at: now), work)
            } catch {
                // Other failures may pass: for example, the process has just replaced its program.
                guard error.kind != .ended, error.kind != .noMemory, SwiftProcess.startTicks(of: pid) == startTicks else { return end() }
            }
            let period = max(Self.shortestPeriod, (now - began) * 5)
            state.withLock { $0.period = period }
            due = began + period
        }
    }

    private var isOver: Bool { state.withLock { $0.isStopped || $0.hasEnded } }

    private func end() {
        state.withLock { $0.hasEnded = true }
    }

    private func add(_ events: [SnapshotEvents.Placed], _ work: Work) {
        let entries = work.events.entries
        state.withLock { state in
            state.entries = entries
            for placed in events {
                while placed.lane >= state.lanes.count { state.lanes.append(Lane()) }
                state.lanes[placed.lane].append(placed.event)
            }
        }
    }

    /// Stops taking snapshots.
    package func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// Whether the process has ended.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The words for the header: `snapshots, 2 a second`.
    package var words: String {
        let period = state.withLock { $0.period }
        return period <= Self.shortestPeriod ? "snapshots, 2 a second" : "snapshots, one in \((period + 500_000_000) / 1_000_000_000) s"
    }

    // MARK: LaneSource

    package var now: UInt64 { time.now - startMonotonic }

    package var unplaced: UInt64 { 0 }
    package var entriesRefused: UInt64 { 0 }

    package func copyHeads(to heads: inout [UInt64]) {
        heads = state.withLock { $0.lanes.map { $0.gone + UInt64($0.events.count) } }
    }

    package func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 {
        let from = next
        let (found, gone) = state.withLock { state -> ([TaskEvent], UInt64) in
            guard lane < state.lanes.count else { return ([], 0) }
            let lane = state.lanes[Int(lane)]
            let first = max(from, lane.gone)
            return (Array(lane.events.dropFirst(Int(first - lane.gone)).prefix(limit)), first - from)
        }
        events += found
        next = from + gone + UInt64(found.count)
        return gone
    }

    package func copyEntries(to table: inout EntryTable) {
        let known = Int(table.count)
        for entry in state.withLock({ Array($0.entries.dropFirst(known)) }) { table.append(entry) }
    }
}
