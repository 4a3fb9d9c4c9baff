import TaskEvents
import TraceStore

/// The places that made the store's tasks, by numbers, and the tasks of each place.
///
/// Tasks of one place may have different names, such as `request 12`. Where the site is unknown, the name stands for the place.
struct TaskSites {
    private let store: TraceStore
    private var numbers: [EntryID: Int] = [:]
    private var known: [String: Int] = [:]
    /// The tasks of each place that have ended, by ascending id.
    private var ended: [[TaskRow]] = []
    private var isFilled = false

    init(_ store: TraceStore) {
        self.store = store
    }

    /// 0 for a task without a label.
    mutating func number(of task: TaskView) -> Int {
        guard task.labelID != .none else { return 0 }
        if let number = numbers[task.labelID] { return number }
        let place = task.label.place
        let number = known[place] ?? known.count + 1
        (known[place], numbers[task.labelID]) = (number, number)
        return number
    }

    /// At most `limit` other tasks of the same place that have ended and fit, spread over all of them.
    mutating func peers(of task: TaskView, limit: Int, where fits: (TaskView) -> Bool) -> [TaskRow] {
        fill()
        let number = number(of: task)
        guard number > 0, ended.indices.contains(number) else { return [] }
        let all = ended[number]
        var peers: [TaskRow] = []
        for index in stride(from: 0, to: all.count, by: max(1, all.count / (limit + 1))) where peers.count < limit {
            if all[index] != task.row, fits(store[all[index]]) { peers.append(all[index]) }
        }
        return peers
    }

    private mutating func fill() {
        guard !isFilled else { return }
        isFilled = true
        for row in store.rows where store[row].state.hasEnded {
            let number = number(of: store[row])
            while ended.count <= number { ended.append([]) }
            ended[number].append(row)
        }
    }
}
