import TaskEvents
import TraceAnalysis
import TraceStore

/// The section with the chain that the task waits for.
extension DetailLines {
    struct Wait {
        var name = ""
        var text: String
        var task: TaskID?
    }

    /// The number of links listed. The panel of `w` lists all of them.
    private static let waitLimit = 8

    /// Empty for a task that has ended, and for a running task.
    static func wait(of task: TaskID, _ shared: SharedState) -> [Wait] {
        let store = shared.store
        guard let view = store.task(task), !view.state.hasEnded else { return [] }
        let chain = WaitChain(of: .task(task), in: store)
        if chain.links.count == 1, case .runs = chain.end { return [] }
        let words = TaskWords(store)
        let waits = WaitWords(store, isASCII: shared.isASCII)
        let rows = chain.rows(in: store)
        var lines = rows.prefix(waitLimit).map { row -> Wait in
            switch row {
            case .more(let count): return Wait(text: "\(CountText.text(count)) more, each of which continues the next")
            case .link(let index):
                let subject = chain.links[index].subject
                let task: TaskID? = if case .task(let id) = subject { id } else { nil }
                return Wait(
                    name: shared.sentence(words.name(of: subject)), text: shared.sentence(waits.text(ofLink: index, of: chain)), task: task)
            }
        }
        if rows.count > waitLimit { lines.append(Wait(text: "and \(CountText.text(rows.count - waitLimit)) more: w lists them")) }
        if let closing = waits.closing(of: chain) { lines.append(Wait(text: shared.sentence(closing))) }
        return lines
    }
}
