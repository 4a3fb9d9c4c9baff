import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore
import TraceTransport

/// Shows where the time went: the samples of the program's threads as a flame graph; in a trace without samples, the parts of the time of
/// the tasks of each place.
struct ProfileScreen: Layer {
    static let name = ScreenName("Profile", short: "Pro", shortcut: "P")
    static let modes = [
        KeyMode(
            "Profile",
            KeyRow.upAndDown("caller, callee", "to the caller, or to the callee with the most samples (or j k)")
                + KeyRow.sideways("beside", "to the call beside it (or h l)") + [
                    .enter("zoom", "let the selected call fill the width; again: the tasks of its place (or click it again)"),
                    .escape("zoom out", "back to all calls"),
                    KeyRow(
                        .character("s"), shown: "s", footer: "whose",
                        help: "the samples of all, the selected task, its chain, place, executor, Timeline's time, the longest job",
                        command(changing: { layer, _ in layer.scope }) { $0.nextScope($1) }),
                ]),
        KeyMode("Profile without samples", KeyRow.list + [.enter("open", "open the longest task of the place (or click it again)")]),
    ]
    static let facets = Facets<Self>(
        search: .init(rows: { profile, _ in profile.searched }, select: { profile, row, _ in profile.select(row) }),
        detail: .init(
            isShown: { $0.tree == nil && !$0.sites.isEmpty }, task: { profile, _ in profile.siteAtCursor?.longest },
            textWithoutTask: "Select a place: the detail of its longest task stands here."),
        arrive: { $0.arrive(at: $1, $2) }, site: { $0.siteOfSelected($1) },
        depth: { profile, _ in profile.root == 0 ? 0 : 1 })

    /// Whose samples are shown.
    enum Scope: CaseIterable {
        case all, task, chain, site, executor, time, job
    }

    private(set) var scope = Scope.all
    /// The executor whose longest job was asked for, and that job once all events have been read.
    private(set) var jobExecutor: ExecutorID?
    private(set) var job: LongestRun?
    private(set) var tree: FlameTree?
    /// The node that fills the width, and the selected one.
    private(set) var root = 0
    private(set) var selected = 0
    /// The functions on top in what is shown, the most samples first.
    private(set) var functions: [FlameTree.Function] = []
    private(set) var sites: [SiteTimes] = []
    private(set) var pane = ListPane()
    /// The unfinished sum over all tasks.
    private var pass: SiteTimesPass?
    private(set) var reading: StepReading?
    private var profile: ThreadProfile?
    private var shown: Shown?
    private var lookedAt: UInt64?
    private(set) var title = Rect.empty
    private(set) var graph = Rect.empty
    private(set) var bottom = Rect.empty
    /// The table of functions beside the graph; empty on a terminal that is not wide.
    private(set) var beside = Rect.empty

    /// The inputs of the current tree. The screen makes a new tree when one of them changes.
    private struct Shown: Equatable {
        var scope: Scope
        var executor: ExecutorID?
        var task: TaskID?
        var times: ClosedRange<UInt64>?
        /// The number of places whose names were known.
        var names: Int
    }

    /// A trace with samples is read before it has a tree.
    var mode: KeyMode { Self.modes[tree == nil && !sites.isEmpty ? 1 : 0] }

    var nodes: [FlameTree.Node] { tree?.nodes ?? [] }

    /// The calls, or the sites in a trace without samples.
    private var searched: SearchedRows {
        guard let tree else { return SearchedRows(count: sites.count, cursor: pane.selected) { [sites] in sites[$0].site } }
        return SearchedRows(count: tree.nodes.count, cursor: selected) { tree.nodes[$0].name }
    }

    /// In a trace without samples, the selected site.
    private var siteAtCursor: SiteTimes? { pane.selected.flatMap { sites.indices.contains($0) ? sites[$0] : nil } }

    /// The site of the selected call or task, or of the first call whose source is known on the way to the most samples below it.
    func siteOfSelected(_ shared: SharedState) -> String? {
        guard tree != nil else { return siteAtCursor?.site }
        guard nodes.indices.contains(selected) else { return nil }
        if !nodes[selected].site.isEmpty { return nodes[selected].site }
        var node = nodes[selected].children.first
        while let next = node, nodes[next].task != .none || shared.sourceFile(at: nodes[next].site) == nil {
            node = nodes[next].children.first
        }
        return node.map { nodes[$0].site }
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        (title, graph) = body.split(top: 2)
        if shared.history.recording?.hasProfile == true {
            (bottom, graph) = graph.split(bottom: 2)
            (beside, graph) = graph.split(right: body.columns >= FrameAreas.wideColumns ? body.columns / 4 : 0)
        } else {
            bottom = Rect.empty
            pane.layOut(in: graph, count: sites.count)
        }
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        guard let recording = shared.history.recording, recording.hasProfile else { return sumUp(shared, at: time) }
        if scope != .all, subject(shared) == nil { scope = .all }
        let wanted = Shown(
            scope: scope, executor: scope == .job ? jobExecutor : nil,
            task: [.all, .time, .job].contains(scope) ? nil : shared.selection, times: scope == .time ? shared.shownTimes : nil,
            names: recording.stackNames.count)
        guard wanted != shown || tree == nil, let stacks = readOn(recording, shared, in: wanted.times) else { return }
        shown = wanted
        let store = shared.history.latest
        let some = stacks.filtered { Self.matches($0, scope, wanted.task, store) }
        tree = FlameTree(NamedStack.all(of: some, recording.stackNames, in: store), in: store)
        selected = 0
        show(0)
    }

    /// Lets a node fill the width.
    private mutating func show(_ node: Int) {
        root = node
        functions = tree?.top(Self.mostFunctions, below: node) ?? []
    }

    private static let mostFunctions = 60

    /// Reads the events, a portion at a time. Returns the samples once all are read.
    private mutating func readOn(
        _ recording: any RecordedTrace, _ shared: SharedState, in times: ClosedRange<UInt64>?
    ) -> SampledStacks? {
        guard !shared.history.hasMore else { return nil }
        var reading = self.reading ?? StepReading(ofAll: shared.history)
        defer { self.reading = reading }
        if profile == nil { profile = recording.profile() }
        guard reading.readOn(), let profile else { return nil }
        if scope == .job, let jobExecutor {
            job = LongestRun(on: jobExecutor, reading.steps, in: shared.history.latest)
            return SampledStacks(profile, reading.steps, shared.history.latest, in: job?.times ?? 0...0, of: job?.thread)
        }
        return SampledStacks(profile, reading.steps, shared.history.latest, in: times)
    }

    private static func matches(_ sampled: SampledStacks.Sampled, _ scope: Scope, _ chosen: TaskID?, _ store: TraceStore) -> Bool {
        guard let chosen, let chosen = store.task(chosen) else { return true }
        if scope == .executor { return sampled.executor == chosen.executor }
        guard let task = store.task(sampled.task) else { return false }
        return switch scope {
        case .all, .time, .executor, .job: true
        case .task: task.id == chosen.id
        case .chain: store.chain(of: task.id) == store.chain(of: chosen.id)
        case .site: task.labelID == chosen.labelID
        }
    }

    /// The words for whose samples are shown. Nil if the scope has no subject.
    func subject(_ shared: SharedState) -> String? {
        let store = shared.history.latest
        switch scope {
        case .all: return "all tasks"
        case .time:
            guard let times = shared.shownTimes else { return nil }
            let (from, until) = (shared.duration(times.lowerBound), shared.duration(times.upperBound))
            return "all tasks from \(from) to \(until)"
        case .job:
            guard let jobExecutor else { return nil }
            let words = TaskWords(store)
            guard let job else { return "the longest job of \(words.name(jobExecutor))" }
            let name = words.name(of: job.task, closure: job.closure)
            let length = shared.duration(job.times.upperBound - job.times.lowerBound)
            return "the longest job of \(words.name(jobExecutor)), `\(name)` for \(length)"
        case .task, .chain, .site, .executor:
            guard let task = shared.selection.flatMap({ store.task($0) }) else { return nil }
            let words = TaskWords(store)
            let name = "`\(words.name(of: task))`"
            return switch scope {
            case .chain: "the chain of \(name)"
            case .site: "the tasks made where \(name) was"
            case .executor: "the executor \(words.name(task.executor))"
            case .task, .all, .time, .job: "task \(name)"
            }
        }
    }

    private mutating func arrive(at target: SharedState.Target, _ shared: SharedState) -> Bool {
        guard case .longestJob(let executor) = target, shared.history.recording?.hasProfile == true else { return false }
        (scope, jobExecutor, job) = (.job, executor, nil)
        return true
    }

    /// Nanoseconds between two sums over all tasks.
    private static let pause: UInt64 = 1_000_000_000
    /// The number of tasks per frame that a sum examines.
    private static let portion = 1 << 13

    private mutating func sumUp(_ shared: SharedState, at time: UInt64) {
        if pass == nil, let lookedAt, time < lookedAt + Self.pause { return }
        if pass == nil { pass = SiteTimesPass() }
        guard let found = pass?.advance(shared.store, portion: Self.portion) else { return }
        pass = nil
        lookedAt = time
        sites = found
        pane.setCount(sites.count)
        if pane.selected == nil, !sites.isEmpty { pane.select(0) }
    }

    func isSettled(_ shared: SharedState) -> Bool {
        shared.history.recording?.hasProfile == true ? tree != nil : lookedAt != nil && pass == nil
    }

    mutating func restart(_ shared: SharedState) {
        lookedAt = nil
        pass = nil
    }

    // MARK: Keys and mouse

    /// The next scope that has a subject.
    private mutating func nextScope(_ shared: SharedState) {
        guard tree != nil else { return }
        if jobExecutor == nil { jobExecutor = shared.history.latest.mainExecutors.first { ($0.longestJob?.nanoseconds ?? 0) > 0 }?.id }
        let all = Scope.allCases
        repeat { scope = all[((all.firstIndex(of: scope) ?? 0) + 1) % all.count] } while subject(shared) == nil
    }

    /// Selects a call, or a site in a trace without samples.
    mutating func select(_ node: Int) {
        guard tree != nil else { return pane.select(node) }
        selected = node
        // A call outside of the shown part is shown with all calls.
        if tree?.isBelow(node, root) != true { show(0) }
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard tree != nil else { return .changed(if: pane.move(movement)) }
        guard let node = target(of: movement), node != selected else { return .ignored }
        selected = node
        return .changed
    }

    private func target(of movement: Movement) -> Int? {
        let node = nodes[selected]
        let siblings = node.parent >= 0 && selected != root ? nodes[node.parent].children : [selected]
        let index = siblings.firstIndex(of: selected) ?? 0
        return switch movement {
        case .up: selected == root ? nil : node.parent
        case .down: node.children.first
        case .left: index > 0 ? siblings[index - 1] : nil
        case .right: index + 1 < siblings.count ? siblings[index + 1] : nil
        case .first, .pageUp: root
        case .last, .pageDown: nil
        }
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        if tree == nil, let site = siteAtCursor { return .detail(of: site.longest) }
        guard tree != nil else { return .ignored }
        guard selected != root else { return openTasks(&shared) }
        show(selected)
        if nodes[selected].task != .none { shared.selection = nodes[selected].task }
        return .changed
    }

    /// Goes to the tasks that were made where the innermost task of the selected call was.
    private func openTasks(_ shared: inout SharedState) -> Answer {
        var node = selected
        while node > 0, nodes[node].task == .none { node = nodes[node].parent }
        guard node > 0, !nodes[node].site.isEmpty else {
            shared.notice =
                node > 0 ? "The place of this task is unknown." : "Select a call in a task first: this key goes to the task's place."
            return .ignored
        }
        shared.requests.target = .site(nodes[node].site)
        return .changed
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard tree != nil, root != 0 else { return .ignored }
        selected = root
        show(0)
        return .changed
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard tree != nil else {
            guard let row = pane.row(at: point) else { return .ignored }
            if row == pane.selected { return open(&shared) }
            pane.select(row)
            return .changed
        }
        guard let node = boxes.first(where: { $0.area.contains(point) })?.node else { return .ignored }
        if node == selected { return open(&shared) }
        selected = node
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }
}
