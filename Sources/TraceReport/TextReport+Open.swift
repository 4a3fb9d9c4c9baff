import TaskEvents
import TraceAnalysis
import TraceStore

/// The tasks that are open at the end, each with the chain of what holds it.
extension TextReport {
    func open() -> [String] {
        guard store.isOver, store.openCount > 0 else { return [] }
        let count = store.openCount
        var lines = heading("\(CountText.text(count, "task")) open at the end")
        var shown = 0
        // A task is explained once. Later chains that reach it refer to that.
        var told: Set<TaskID> = []
        for row in store.rows where shown < Self.openLimit {
            let task = store[row]
            guard !task.state.hasEnded else { continue }
            shown += 1
            guard !told.contains(task.id) else { continue }
            if told.count > 0 { lines.append("") }
            lines += explanation(of: task, &told)
        }
        return lines + more(count - shown, "open task")
    }

    private func explanation(of task: TaskView, _ told: inout Set<TaskID>) -> [String] {
        let chain = WaitChain(of: .task(task.id), in: store)
        let waits = WaitWords(store, isASCII: isASCII)
        var lines: [String] = []
        for row in chain.rows(in: store) {
            guard case .link(let index) = row else {
                if case .more(let count) = row { lines.append("    \(ellipsis) \(CountText.text(count)) more, each continues the next") }
                continue
            }
            let subject = chain.links[index].subject
            let place = words.place(of: subject).map { " at \($0)" } ?? ""
            var name = "\(words.name(of: subject))\(place)"
            if case .task(let id) = subject {
                name += ", task \(id.rawValue)"
                guard told.insert(id).inserted else {
                    lines.append("    \(name): see above")
                    return lines
                }
            }
            lines += wrapped("\(name): \(waits.text(ofLink: index, of: chain))", indent: index == 0 ? 2 : 4)
        }
        if let closing = waits.closing(of: chain) { lines += wrapped(closing, indent: 4) }
        return lines
    }
}
