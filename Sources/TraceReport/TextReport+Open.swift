import TaskEvents
import TraceAnalysis
import TraceStore

/// The tasks that are open at the end, each with the chain of what holds it.
extension TextReport {
    func open() -> [String] {
        let open = OpenTasks(in: store)
        guard open.count > 0 else { return [] }
        var lines = heading("\(CountText.text(open.count, "task")) open at exit")
        var (shown, entries) = (0, 0)
        // A task is explained once. Later chains that reach it refer to that.
        var explained: Set<TaskID> = []
        for alike in open.all {
            guard entries < Self.openLimit else { break }
            shown += alike.count
            guard alike.count > 1 || !explained.contains(alike.first) else { continue }
            if entries > 0 { lines.append("") }
            entries += 1
            lines += explanation(of: alike, &explained)
        }
        return lines + more(open.count - shown, "open task")
    }

    private func explanation(of alike: OpenTasks.Alike, _ explained: inout Set<TaskID>) -> [String] {
        let chain = WaitChain(of: .task(alike.first), in: store)
        let waits = WaitWords(store, isASCII: isASCII)
        var lines: [String] = []
        for row in chain.rows(in: store) {
            guard case .link(let index) = row else {
                if case .more(let count) = row { lines.append("    \(ellipsis) \(CountText.text(count)) more, each continues the next") }
                continue
            }
            let subject = chain.links[index].subject
            let site = words.site(of: subject).map { " at \($0)" } ?? ""
            var name = "\(words.name(of: subject))\(site)"
            if case .task(let id) = subject {
                if words.name(of: id) != id.words { name += ", \(id.words)" }
                if index == 0, alike.count > 1 { name += " and \(CountText.text(alike.count - 1)) more like it" }
                guard explained.insert(id).inserted else {
                    lines.append("    \(name): see above")
                    return lines
                }
                if let task = store.task(id), task.isUncertain {
                    return lines + wrapped("\(name): unknown, its last events may be among the lost records", indent: index == 0 ? 2 : 4)
                }
            }
            lines += wrapped("\(name): \(waits.text(ofLink: index, of: chain))", indent: index == 0 ? 2 : 4)
        }
        if let closing = waits.closing(of: chain) { lines += wrapped(closing, indent: 4) }
        return lines
    }
}
