import CodeSymbols
import InspectorUI
import RemoteTasks
import TaskEvents
import TraceReport
import TraceStore
import TraceTransport

/// Looks at a process that publishes, to see what its events do not tell: the stacks of its threads, and the calls of its suspended tasks.
///
/// Each look has a thread of its own. The inspector's thread begins it and takes its result.
final class ProcessLook: OutsideLook, Sendable {
    private struct State {
        var isUnderWay = false
        var found: OutsideView?
        var isSearching = false
        var causes: [StuckCause]?
    }

    private let look: SnapshotLook
    private let state = Guarded(State())
    /// It keeps what it has read of the program's files.
    private let symbolizer = Symbolizer()

    init(ofProcess pid: Int32) {
        look = SnapshotLook(ofProcess: pid)
    }

    func begin(at time: UInt64, findsHolders: Bool) -> Bool {
        let isFree = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard isFree else { return false }
        let thread = try? WorkerThread(name: "hopscope stacks") { [self] in
            let found = view(at: time, findsHolders: findsHolders)
            state.withLock { ($0.isUnderWay, $0.found) = (false, found) }
        }
        guard let thread else {
            state.withLock { $0.isUnderWay = false }
            return false
        }
        thread.detach()
        return true
    }

    func take() -> OutsideView? {
        state.withLock { state in
            defer { state.found = nil }
            return state.found
        }
    }

    func beginStuckSearch(after time: String) {
        let isFree = state.withLock { state in
            defer { state.isSearching = true }
            return !state.isSearching
        }
        guard isFree else { return }
        let thread = try? WorkerThread(name: "hopscope stuck") { [self] in
            let causes = causes(after: time)
            state.withLock { ($0.isSearching, $0.causes) = (false, causes) }
        }
        guard let thread else { return state.withLock { $0.isSearching = false } }
        thread.detach()
    }

    func takeStuckSearch() -> [StuckCause]? {
        state.withLock { state in
            defer { state.causes = nil }
            return state.causes
        }
    }

    private func causes(after time: String) -> [StuckCause] {
        do throws(SnapshotProblem) {
            let earlier = try look.snapshot(within: SnapshotLook.Limit.hung)
            let snapshot = try look.snapshot(within: SnapshotLook.Limit.hung, findsHolders: true)
            let report = SnapshotReport(snapshot, program: "", route: .snapshot)
            return HangReport(report, since: [earlier], deadline: time).findings().map {
                StuckCause(sentence: $0.message, site: $0.site, evidence: $0.evidence.map(\.text))
            }
        } catch {
            return [StuckCause(sentence: "The program cannot be looked at: \(error.description)", evidence: [])]
        }
    }

    /// Nil if the process cannot be read: the trace then says what it can.
    private func view(at time: UInt64, findsHolders: Bool) -> OutsideView? {
        let limit = findsHolders ? SnapshotLook.Limit.hung : SnapshotLook.Limit.listed
        guard let snapshot = try? look.snapshot(within: limit, findsHolders: findsHolders) else { return nil }
        return OutsideView(of: snapshot, SnapshotSymbols(of: snapshot, by: symbolizer), began: time)
    }
}
