import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// The spans of fault paths and slow chains.
struct ShippedSpans {
    /// A chain's trace has at most this many tasks.
    static let chainLimit = 200
    /// A batch has at most this many traces of one place, so that a failing place cannot fill the collector.
    static let tracesPerSite = 5
    /// A fault's trace has at most this many steps.
    private static let stepLimit = 200

    let store: TraceStore

    /// One trace for each fault, the unread ones first, and one for each slow chain.
    func all(of batch: ShippedBatch) -> [ReportedSpan] {
        guard !batch.faults.isEmpty || !batch.slowChains.isEmpty else { return [] }
        let rows = ReportRows(store)
        let faults = batch.faults.sorted { ($1.verdict, $0.origin) < ($0.verdict, $1.origin) }
        return sampled(faults) { store.task($0.origin)?.labelID ?? .none }.flatMap { spans(of: $0, rows) }
            + sampled(batch.slowChains) { store.task($0)?.labelID ?? .none }.flatMap { spans(ofChain: $0, rows) }
    }

    /// The first few elements of each place.
    private func sampled<Element>(_ elements: [Element], by site: (Element) -> EntryID) -> [Element] {
        var counts: [EntryID: Int] = [:]
        return elements.filter { element in
            let site = site(element)
            counts[site, default: 0] += 1
            return counts[site, default: 0] <= Self.tracesPerSite
        }
    }

    private func spans(ofChain root: TaskID, _ rows: ReportRows) -> [ReportedSpan] {
        guard let chain = ChainAnalysis(store).chain(of: root, limit: Self.chainLimit) else { return [] }
        return chain.tasks.lazy.compactMap { store.task($0) }.map { task in
            var span = rows.span(task)
            span.attributes = [("hopscope.trace", "slow chain")]
            return span
        }
    }

    /// A task that threw its error again has one span.
    private func spans(of fault: FaultPath, _ rows: ReportRows) -> [ReportedSpan] {
        fault.steps.lazy.filter { !$0.isAgain }.prefix(Self.stepLimit).compactMap { step in
            guard let task = store.task(step.task) else { return nil }
            var span = rows.span(task)
            span.trace = fault.origin
            span.parent = step.from == .none ? nil : step.from
            span.task.role = step.role
            span.attributes = [("hopscope.trace", "fault"), ("hopscope.verdict", fault.verdict.name)]
            return span
        }
    }
}
