import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A cause for which tasks of a trace have not ended, as every output states it: the end of a chain of waits, or a deadlock.
///
/// Its texts are made when it is written, because an output shows few of many causes. The store must not change until then.
package struct ReportedWaitCause {
    private let rows: ReportRows
    /// The waits of tasks as a look from outside found them.
    private let outside: [TaskID: ReportedWait]
    /// The chain of the task that was made first, or of the first one that is not the cause itself, from that task to the cause.
    private var chain: WaitChain
    /// The number of tasks whose chains end so at this place.
    private var taskCount: Int

    /// The causes, the likeliest first: deadlocks, then what nothing ends by itself, then work, then timers and waits of libraries; of
    /// equal ones the longest.
    ///
    /// - Parameter outside: the waits of tasks as a look from outside found them. They name holders and sockets, which no trace does.
    package static func all(in store: TraceStore, outside: [TaskID: ReportedWait] = [:]) -> [ReportedWaitCause] {
        let rows = ReportRows(store)
        var causes: [ReportedWaitCause] = []
        var known: [Key: Int] = [:]
        for alike in OpenTasks.alike(in: store).prefix(limit) {
            let chain = WaitChain(of: .task(alike.first), in: store)
            guard let key = Key(chain, in: store) else { continue }
            guard let index = known[key] else {
                known[key] = causes.count
                causes.append(ReportedWaitCause(chain, count: alike.count, rows, outside))
                continue
            }
            causes[index].taskCount += alike.count
            // The cause alone does not show what it holds up.
            if causes[index].chain.links.count == 1 { causes[index].chain = chain }
        }
        let ordered = causes.enumerated().map { (key: ($1.order.rank, $1.order.since, $0), cause: $1) }.sorted { $0.key < $1.key }
        return ordered.map(\.cause)
    }

    /// The chain of one task. Nil for a task that has ended.
    package init?(of task: TaskView, _ rows: ReportRows, outside: [TaskID: ReportedWait] = [:]) {
        guard !task.state.hasEnded else { return nil }
        self.init(WaitChain(of: .task(task.id), in: rows.store), count: 1, rows, outside)
    }

    /// The greatest number of kinds of open tasks whose chains are followed.
    private static let limit = 2048

    private init(_ chain: WaitChain, count: Int, _ rows: ReportRows, _ outside: [TaskID: ReportedWait]) {
        (self.chain, taskCount, self.rows, self.outside) = (chain, count, rows, outside)
    }

    private var order: (rank: Int, since: UInt64) {
        let last = chain.links.last.flatMap { Self.task(of: $0) }.flatMap { rows.store.task($0) }
        // The loop of a library usually has nothing to do.
        let rank = last?.waitsInLibrary == true ? max(Self.rank(chain.end), Self.rank(.timer)) : Self.rank(chain.end)
        return (rank, chain.links.last?.since ?? .max)
    }

    private static func rank(_ end: WaitChain.End) -> Int {
        switch end {
        case .ring: 0
        case .blocks, .unresumed, .held: 1
        case .condition: 2
        case .unknown: 3
        case .runs: 4
        case .timer: 5
        case .idle, .ended: 6
        }
    }

    /// What chains with the same cause have in common.
    private struct Key: Hashable {
        let rank: Int
        var kind: WaitsFor.Kind?
        var executor: ExecutorID?
        var site: String?
        var subject: WaitChain.Subject?

        /// Nil for a chain without a link.
        init?(_ chain: WaitChain, in store: TraceStore) {
            guard let last = chain.links.last else { return nil }
            rank = ReportedWaitCause.rank(chain.end)
            if case .ring(let first) = chain.end {
                subject = chain.links[first...].map(\.subject).min { "\($0)" < "\($1)" }
                return
            }
            (kind, executor, site) = (last.wait?.kind, last.wait?.executor, last.wait?.site(in: store))
            if site == nil, kind != .executor { subject = last.subject }
        }
    }

    // MARK: Output

    /// The largest number of links at either end of a chain in the output.
    private static let shownLinks = 4

    package func write(to line: inout JSONLine) {
        let store = rows.store
        let (waits, words) = (WaitWords(store), TaskWords(store))
        let last = chain.links.last.flatMap { Self.task(of: $0) }
        let wait = last.flatMap { outside[$0] ?? store.task($0).map(rows.task)?.wait }
        line.field("message", waits.summary(of: chain))
        line.field("where", orNull: chain.links.last.flatMap { site(of: $0, words) })
        line.field("task", orNull: last?.rawValue)
        line.field("tasks_waiting", taskCount)
        line.object("waits_for", orNull: wait) { line, wait in wait.write(to: &line) }
        // The sentence has all of a single link.
        guard chain.links.count > 1 else { return }
        line.array("chain") { line in
            let left = chain.links.count - 2 * Self.shownLinks
            for (index, link) in chain.links.enumerated()
            where left <= 0 || index < Self.shownLinks || index >= chain.links.count - Self.shownLinks {
                line.object { line in
                    line.field("task", orNull: Self.task(of: link)?.rawValue)
                    line.field("name", words.name(of: link.subject))
                    line.field("does", waits.text(ofLink: index, of: chain))
                    line.field("where", orNull: site(of: link, words))
                    if left > 0, index == Self.shownLinks - 1 { line.field("left_out_after", left) }
                }
            }
        }
    }

    /// Nil for a job of no task, and for an executor.
    private static func task(of link: WaitChain.Link) -> TaskID? {
        if case .task(let id) = link.subject { id } else { nil }
    }

    /// Where a link waits, or else where its task or closure was made.
    private func site(of link: WaitChain.Link, _ words: TaskWords) -> String? {
        link.wait?.site(in: rows.store) ?? words.site(of: link.subject)
    }
}
