import TaskEvents
import TraceAnalysis
import TraceStore

/// The spans of fault paths and slow chains, each an encoded message.
struct ShippedSpans {
    /// A chain's trace has at most this many tasks.
    static let chainLimit = 200
    /// A batch has at most this many traces of one place, so that a failing place cannot fill the collector.
    static let tracesPerPlace = 5
    /// A fault's trace has at most this many steps.
    private static let stepLimit = 200

    private let process: ShippedProcess
    private let store: TraceStore
    private let ids: OTLPIdentifiers

    init(_ process: ShippedProcess) {
        self.process = process
        store = process.store
        ids = OTLPIdentifiers(program: process.program, startedAt: process.start)
    }

    /// One trace for each fault, the lost ones first.
    func faults(_ faults: [FaultPath]) -> [[UInt8]] {
        let ordered = faults.sorted { ($1.verdict, $0.origin) < ($0.verdict, $1.origin) }
        return sampled(ordered) { store.task($0.origin)?.labelID ?? .none }.flatMap(spans)
    }

    /// One trace for each chain.
    func chains(_ roots: [TaskID]) -> [[UInt8]] {
        let analysis = ChainAnalysis(store)
        return sampled(roots) { store.task($0)?.labelID ?? .none }.flatMap { root -> [[UInt8]] in
            guard let chain = analysis.chain(of: root, limit: Self.chainLimit) else { return [] }
            return chain.tasks.compactMap { id in
                guard let task = store.task(id) else { return nil }
                let parent = task.firstAntecedent.flatMap { store.task($0)?.chain == task.chain && $0 != id ? $0 : nil }
                let links = task.antecedents.filter { $0 != parent }
                return span(of: task, parent: parent, links: links) { $0.attribute(9, "hopscope.trace", "slow chain") }
            }
        }
    }

    /// The first few elements of each place.
    private func sampled<Element>(_ elements: [Element], by place: (Element) -> EntryID) -> [Element] {
        var counts: [EntryID: Int] = [:]
        return elements.filter { element in
            counts[place(element), default: 0] += 1
            return counts[place(element)]! <= Self.tracesPerPlace
        }
    }

    private func spans(of fault: FaultPath) -> [[UInt8]] {
        let error = store.entries.error(fault.error)
        return fault.steps.prefix(Self.stepLimit).compactMap { step in
            guard let task = store.task(step.task) else { return nil }
            return span(of: task, parent: step.from == .none ? nil : step.from, trace: fault.origin) { span in
                span.attribute(9, "hopscope.trace", "fault")
                span.attribute(9, ShippedAttribute.verdict.rawValue, fault.verdict.name)
                if let role = step.role { span.attribute(9, "hopscope.role", role.name) }
                guard step.task == fault.origin else { return }
                span.message(11) { event in
                    event.fixed64(1, process.start &+ (task.ended ?? store.now))
                    event.string(2, "exception")
                    event.attribute(3, "exception.type", error?.type ?? "unknown")
                    event.attribute(3, "exception.message", error?.message ?? "unknown")
                }
            }
        }
    }

    /// - Parameter trace: the task that the trace's id is made of; if nil, the task's chain.
    private func span(
        of task: TaskView, parent: TaskID?, links: [TaskID] = [], trace: TaskID? = nil, _ write: (inout ProtobufMessage) -> Void
    ) -> [UInt8] {
        let times = OTLPSpan(task, now: store.now)
        let label = task.label
        var span = ProtobufMessage()
        span.bytes(1, ids.traceBytes(of: trace ?? task.chain))
        span.bytes(2, ids.spanBytes(of: task.id))
        if let parent { span.bytes(4, ids.spanBytes(of: parent)) }
        // A span's name has few values: the place, not the task's own name.
        span.string(5, store.place(of: task.labelID))
        // SPAN_KIND_INTERNAL
        span.number(6, 1)
        span.fixed64(7, process.start &+ times.start)
        span.fixed64(8, process.start &+ times.end)
        span.attribute(9, "hopscope.task", number: task.id.rawValue)
        span.attribute(9, "hopscope.task.name", label.name)
        span.attribute(9, "hopscope.state", task.state.name)
        if task.executor != .none {
            span.attribute(9, ShippedAttribute.executor.rawValue, PrintableText.text(store.description(of: task.executor).name))
        }
        if !label.file.isEmpty {
            span.attribute(9, "code.file.path", label.file)
            span.attribute(9, "code.line.number", number: UInt64(label.line))
        }
        write(&span)
        for link in links {
            guard let other = store.task(link) else { continue }
            span.message(13) { message in
                message.bytes(1, ids.traceBytes(of: other.chain))
                message.bytes(2, ids.spanBytes(of: link))
            }
        }
        if task.state == .faulted {
            span.message(15) { status in
                status.string(2, ErrorText.text(store.entries.error(task.error)))
                // STATUS_CODE_ERROR
                status.number(3, 2)
            }
        }
        return span.bytes
    }
}
