import CProbeInjection
import CodeSymbols
import RemoteTasks
import TaskEvents
import TraceStore

/// The tasks that a process had before the probe was loaded, as a snapshot found them, in the form in which the probe takes them.
///
/// A task without an event since the recording began has had one state since then: the one that the snapshot shows. Of another task only
/// the unchanging facts are told. A task that ran all the while is left out: its end might not be seen.
struct Adoption {
    private(set) var tasks: [trace_adopted_task] = []
    /// The number of tasks that were left out, because the lane of the probe's thread has no room for more.
    private(set) var left = 0

    /// A task takes up to three records of a lane, which has room for 131,072.
    private static let most = 40_000

    /// - Parameter trace: The events so far. They include all that the tasks had until the snapshot was complete.
    init(of snapshot: Snapshot, _ symbols: SnapshotSymbols, since trace: TraceStore) {
        for task in snapshot.tasks where task.tracedNumber < TaskID.firstBlock {
            let seen = trace.task(TaskID(rawValue: task.tracedNumber))
            // The trace has the creation of a newer one. Without all events, nothing shows that a task has had none.
            guard seen?.created == nil, seen != nil || trace.lostCount == 0 && task.isStill else { continue }
            if tasks.count < Self.most {
                tasks.append(Self.adopted(task, states: seen == nil, snapshot, symbols))
            } else {
                left += 1
            }
        }
    }

    private static func adopted(
        _ task: RemoteTask, states: Bool, _ snapshot: Snapshot, _ symbols: SnapshotSymbols
    ) -> trace_adopted_task {
        var adopted = trace_adopted_task()
        adopted.task = task.tracedNumber
        adopted.parent = snapshot.task(at: task.parent)?.tracedNumber ?? 0
        adopted.kind = task.kind.words.rawValue
        set(symbols.name(of: task), of: &adopted)
        guard states else { return adopted }
        adopted.is_cancelled = task.isCancelled
        switch task.state {
        case .pending, .running, .changing: break
        case .queued:
            let isGlobal = if case .executor(identity: 0, _) = task.wait { true } else { false }
            adopted.state = UInt8((isGlobal ? TRACE_ADOPTED_QUEUED_GLOBALLY : TRACE_ADOPTED_QUEUED).rawValue)
        case .suspended:
            adopted.state = UInt8(TRACE_ADOPTED_SUSPENDED.rawValue)
            adopted.reason = task.suspension.rawValue
            if case .task(let address) = task.wait { adopted.awaited = snapshot.task(at: address)?.tracedNumber ?? 0 }
            withUnsafeMutableBytes(of: &adopted.places) { bytes in
                let words = bytes.bindMemory(to: UInt64.self)
                for (index, place) in places(of: task, symbols, most: words.count).enumerated() { words[index] = place }
            }
        }
        return adopted
    }

    /// The innermost of the places at which a task goes on. If there are more than fit, and libraries have the innermost ones, those
    /// between them and the program's own are left out.
    private static func places(of task: RemoteTask, _ symbols: SnapshotSymbols, most: Int) -> [UInt64] {
        let frames = task.frames
        let innermost = most / 2
        guard frames.count > most,
            let own = frames.firstIndex(where: { symbols.calls(at: [$0]).contains { !$0.isMachinery } }), own > innermost
        else { return Array(frames.prefix(most)) }
        return Array(frames.prefix(innermost) + frames[own...].prefix(most - innermost))
    }

    /// A name that is too long is cut.
    private static func set(_ name: String, of task: inout trace_adopted_task) {
        withUnsafeMutableBytes(of: &task.name) { bytes in
            var length = 0
            for character in name {
                let count = String(character).utf8.count
                guard length + count < bytes.count else { break }
                bytes[length..<length + count].copyBytes(from: String(character).utf8)
                length += count
            }
        }
    }
}

extension RemoteTask {
    /// Whether the task neither runs nor is about to be given to an executor.
    fileprivate var isStill: Bool {
        switch state {
        case .queued, .suspended: true
        case .pending, .running, .changing: false
        }
    }
}
