import CProbeInjection
import CodeSymbols
import Glibc
import RemoteTasks
import TaskEvents
import TraceStore
import TraceTransport

/// The tasks that exist already: a snapshot finds them, and the process's thread records them.
extension Injection {
    /// Puts the tasks that the process had before into the trace, and returns a sentence about them. If the process cannot be read, each of
    /// them appears with its next event.
    ///
    /// Call it before ``serve()``.
    package func adopt(_ time: TimeSource) -> String {
        let adoption: Adoption
        do {
            adoption = try found()
        } catch {
            return "The tasks that it had before appear with their next events: \(error)"
        }
        let adopted = give(adoption.tasks, time)
        guard adopted == adoption.tasks.count, adoption.left == 0 else {
            let rest = adoption.tasks.count - adopted + adoption.left
            return "\(adopted) of the tasks that it had before are in the trace; \(rest) appear with their next events."
        }
        return adopted == 1 ? "The task that it had before is in the trace." : "The \(adopted) tasks that it had before are in the trace."
    }

    private func found() throws -> Adoption {
        let snapshot = try SnapshotLook(ofProcess: pid).snapshot(within: SnapshotLook.Limit.named)
        let source = try RegionFile(path: region)
        let trace = TraceStore()
        var merger = LaneMerger(source: source)
        merger.drain { trace.apply($0) }
        return Adoption(of: snapshot, SnapshotSymbols(of: snapshot), since: trace)
    }

    /// Returns the number of tasks that the process's thread has recorded.
    private func give(_ tasks: [trace_adopted_task], _ time: TimeSource) -> Int {
        var given = 0
        var batch: UInt32 = 0
        while given < tasks.count {
            batch += 1
            let part = Array(tasks[given...].prefix(TRACE_ADOPTED_TASKS))
            guard injection_give(pid, record, part, part.count, batch), isTaken(batch, time) else { break }
            given += part.count
        }
        return given
    }

    private func isTaken(_ batch: UInt32, _ time: TimeSource) -> Bool {
        let deadline = time.now + Self.limit
        var hasEnded = false
        while !injection_took(pid, record, batch, &hasEnded) {
            guard !hasEnded, time.now < deadline else { return false }
            usleep(100)
        }
        return true
    }
}
