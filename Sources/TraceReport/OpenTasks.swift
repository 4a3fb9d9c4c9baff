import TaskEvents
import TraceAnalysis
import TraceStore

/// The tasks that had not ended when the program did, those of one place that wait for the same together. An async main that ended well is
/// none of them.
struct OpenTasks {
    struct Alike {
        let first: TaskID
        var count: Int
    }

    /// In the order in which the first of each was created.
    let all: [Alike]
    let count: Int

    init(in store: TraceStore) {
        guard store.isOver, store.openCount > 0 else {
            (all, count) = ([], 0)
            return
        }
        (all, count) = (Self.alike(in: store), store.openCount)
    }

    /// The tasks that have not ended yet, also while the program goes on.
    static func alike(in store: TraceStore) -> [Alike] {
        struct Kind: Hashable {
            let label: EntryID
            let name: EntryID
            let state: DisplayedState
            var wait: WaitsFor?
            /// Instead of the awaited task itself, which can be another for each.
            let awaited: EntryID?
        }
        var all: [Alike] = []
        var known: [Kind: Int] = [:]
        for row in store.rows {
            let task = store[row]
            guard !task.state.hasEnded, task.kind != .internal, !store.isFinishedMain(task.id) else { continue }
            let wait = WaitsFor(task, in: store)
            var kind = Kind(
                label: task.labelID, name: task.nameID, state: ReportedTask.state(of: task), wait: wait,
                awaited: wait.flatMap { store.task($0.task)?.labelID })
            kind.wait?.task = .none
            if let index = known[kind] {
                all[index].count += 1
            } else {
                known[kind] = all.count
                all.append(Alike(first: task.id, count: 1))
            }
        }
        return all
    }
}
