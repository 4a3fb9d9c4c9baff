import TaskEvents
import TraceAnalysis
import TraceStore

/// The tasks of a trace as a graph, for formats that draw it: the chains, the edges between tasks, and the labels.
struct TaskGraph {
    /// The role of an antecedent for the task that has it.
    enum Link {
        case continued
        /// The task was skipped and took over the antecedent's outcome.
        case skipped
        /// The antecedent is an input of a join.
        case input
        /// The task's body returned the antecedent.
        case inner
        /// The task's body awaited the antecedent's value.
        case awaited
        /// The antecedent is a block that resumed the task's continuation.
        case resumed
    }

    struct Edge {
        var from: TaskID
        var to: TaskID
        var link: Link
        /// The first hop of the task that continues the antecedent.
        var hop: Hop?
        /// Whether the error passed along this edge.
        var carriesError: Bool
    }

    let store: TraceStore
    private let words: TaskWords

    init(_ store: TraceStore) {
        self.store = store
        words = TaskWords(store)
    }

    /// All tasks of the store, and the blocks that led to them.
    private var members: [TaskView] {
        var members = store.rows.map { store[$0] }
        var blocks: Set<TaskID> = []
        for task in members {
            for first in [task.firstAntecedent].compactMap(\.self) + task.resumingBlocks {
                var maker: TaskID? = first
                while let id = maker, id.isBlock, let block = store.task(id), blocks.insert(id).inserted { maker = block.firstAntecedent }
            }
        }
        members += blocks.sorted().compactMap { store.task($0) }
        return members
    }

    /// All tasks of the store and the blocks that led to them, grouped by chain. Chains and tasks are ordered by id.
    func chains() -> [(id: TaskID, tasks: [TaskID])] {
        Dictionary(grouping: members, by: \.chain)
            .map { (id: $0, tasks: $1.map(\.id).sorted()) }.sorted { $0.id < $1.id }
    }

    /// All edges. `isFirst` tells the first edge from a task that the store does not have.
    func forEachEdge(_ body: (_ edge: Edge, _ isFirst: Bool) -> Void) {
        var unknown: Set<TaskID> = []
        for task in members {
            for edge in edges(into: task) { body(edge, store.row(of: edge.from) == nil && unknown.insert(edge.from).inserted) }
        }
    }

    /// The edges into a task: from its antecedents in order, then from the tasks that it awaits and the blocks that resumed it.
    private func edges(into task: TaskView) -> [Edge] {
        var edges: [Edge] = []
        for (antecedent, isInner) in task.links() {
            let link: Link = isInner ? .inner : task.kind == .join ? .input : task.isSkipped ? .skipped : .continued
            let isFirst = edges.isEmpty && link == .continued
            edges.append(
                Edge(
                    from: antecedent, to: task.id, link: link, hop: isFirst ? task.hops.first { _ in true } : nil,
                    carriesError: carriesError(from: antecedent, to: task)))
        }
        for awaited in task.awaited {
            edges.append(Edge(from: awaited, to: task.id, link: .awaited, hop: nil, carriesError: carriesError(from: awaited, to: task)))
        }
        for resumer in task.resumingBlocks { edges.append(Edge(from: resumer, to: task.id, link: .resumed, hop: nil, carriesError: false)) }
        return edges
    }

    private func carriesError(from antecedent: TaskID, to task: TaskView) -> Bool {
        guard task.state == .faulted, store.task(antecedent)?.state == .faulted else { return false }
        return switch task.faultManner {
        case .forwarded: task.faultSource == antecedent
        case .transformed: task.faultSource == antecedent || task.faultSource == .none
        case .thrown, .injected, nil: false
        }
    }

    /// The lines of a node: the name; the state, the executor and the times; the error.
    func lines(of task: TaskView) -> [String] {
        let badge = DisplayedState(task).badge
        let times = [words.wait(of: task), task.started == nil ? nil : task.busy.map { DurationText.text($0) }].compactMap(\.self)
        let executor = Self.clipped(words.executor(of: task))
        let facts = [badge.text(), executor].filter { !$0.isEmpty } + times
        return [name(of: task), facts.joined(separator: " · ")] + (words.error(of: task).map { [Self.clipped($0)] } ?? [])
    }

    func name(of task: TaskView) -> String {
        let name = words.name(of: task)
        return name.isEmpty ? task.id.words : Self.clipped(name)
    }

    /// The maximum number of scalars of a text in a picture. Graphviz rejects labels of more than 16 KiB, and an escaped scalar takes up to
    /// six bytes.
    static let textLimit = 500

    /// Shortens a text that is too long for a picture, and ends it with `…`.
    static func clipped(_ text: String) -> String {
        guard text.utf8.count > textLimit, text.unicodeScalars.count > textLimit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(textLimit - 1))) + "…"
    }

    /// The form of a node.
    struct Look {
        /// The raw values are Graphviz's.
        enum Shape: String { case ellipse, box, octagon }
        enum Outline: String { case plain, bold, dashed, dotted }

        let shape: Shape
        let outline: Outline
        let fill: String
    }

    static func look(of badge: DisplayedState) -> Look {
        switch badge {
        case .pending, .unknown: Look(shape: .ellipse, outline: .dashed, fill: "#f4f4f4")
        case .queued: Look(shape: .ellipse, outline: .plain, fill: "#fff3c9")
        case .running: Look(shape: .ellipse, outline: .bold, fill: "#cfe4ff")
        case .suspended: Look(shape: .ellipse, outline: .plain, fill: "#d3efee")
        case .succeeded: Look(shape: .box, outline: .plain, fill: "#d9f2dc")
        case .ended: Look(shape: .box, outline: .plain, fill: "#e8e8e8")
        case .faulted: Look(shape: .octagon, outline: .bold, fill: "#ffd4d1")
        case .cancelled: Look(shape: .box, outline: .dashed, fill: "#ece0d2")
        case .skipped: Look(shape: .box, outline: .dotted, fill: "#f4f4f4")
        }
    }

    /// The text at an edge: the hop, or the kind of link.
    func text(of edge: Edge) -> String? {
        switch edge.link {
        case .inner: return "inner"
        case .awaited: return "awaited"
        case .resumed: return "resumed"
        case .input, .skipped: return nil
        case .continued:
            guard let hop = edge.hop else { return nil }
            let wait = hop.wait.map { ", \(DurationText.text($0))" } ?? ""
            return "\(Self.clipped(words.name(hop.from))) → \(Self.clipped(words.name(hop.to)))\(wait)"
        }
    }

    /// A title such as `chain 3: saveRecord`, or `block 3: load()`.
    func title(ofChain chain: TaskID) -> String {
        let words = "\(chain.isBlock ? "block" : "chain") \(chain.shown)"
        return store.task(chain).map { "\(words): \(name(of: $0))" } ?? words
    }
}
