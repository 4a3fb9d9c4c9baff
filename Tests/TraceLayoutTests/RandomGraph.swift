import TaskEvents

@testable import TraceLayout

/// A random graph from a seed: chains, forks, joins and bodies that return tasks, in plausible proportions.
struct RandomGraph: RailGraph {
    private(set) var links: Set<RailEdge> = []
    private(set) var tasks: [TaskID] = []
    private var parents: [TaskID: TaskID] = [:]
    private var inputs: [TaskID: [TaskID]] = [:]
    private var inners: [TaskID: TaskID] = [:]
    private var awaited: [TaskID: [TaskID]] = [:]
    private var successors: [TaskID: [(TaskID, RailKind)]] = [:]
    private var chains: [TaskID: TaskID] = [:]
    private var gone: Set<TaskID> = []
    var succeeded: Set<TaskID> = []

    init() {}

    init(seed: UInt64, count: Int) {
        var random = SplitMix(state: seed)
        for _ in 0..<count {
            let newest = tasks.suffix(12)
            switch UInt8.random(in: 0..<100, using: &random) {
            case 0..<20: addRoot()
            case 20..<70: if let task = newest.randomElement(using: &random) { addContinuation(of: task) }
            case 70..<80: if let task = tasks.randomElement(using: &random) { addContinuation(of: task) }
            case 80..<90: addJoin(of: (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in tasks.randomElement(using: &random) })
            case 90..<93:
                if let task = newest.randomElement(using: &random), let awaited = tasks.randomElement(using: &random) {
                    addAwait(of: awaited, by: task)
                }
            default:
                let outer = newest.randomElement(using: &random)
                let inner = Bool.random(using: &random) ? newest.last : tasks.randomElement(using: &random)
                if let outer, let inner { setInner(inner, of: outer) }
            }
        }
    }

    @discardableResult
    mutating func addRoot() -> TaskID {
        let task = TaskID(rawValue: UInt64(tasks.count + 1))
        tasks.append(task)
        chains[task] = task
        return task
    }

    @discardableResult
    mutating func addContinuation(of parent: TaskID) -> TaskID {
        let task = addRoot()
        chains[task] = chains[parent]
        parents[task] = parent
        link(parent, task, .continues)
        return task
    }

    @discardableResult
    mutating func addJoin(of joined: [TaskID]) -> TaskID {
        let task = addRoot()
        inputs[task] = joined
        for input in joined { link(input, task, .input) }
        return task
    }

    mutating func addAwait(of awaited: TaskID, by task: TaskID) {
        self.awaited[task, default: []].append(awaited)
        link(awaited, task, .awaited)
    }

    mutating func setInner(_ inner: TaskID, of outer: TaskID) {
        guard inners[outer] == nil else { return }
        inners[outer] = inner
        link(inner, outer, .inner)
    }

    mutating func remove(_ task: TaskID) {
        gone.insert(task)
        tasks.removeAll { $0 == task }
        links = links.filter { $0.from != task && $0.to != task }
    }

    private mutating func link(_ from: TaskID, _ to: TaskID, _ kind: RailKind) {
        successors[from, default: []].append((to, kind))
        links.insert(RailEdge(from: from, to: to, kind: kind, lane: nil))
    }

    func hasTask(_ task: TaskID) -> Bool { chains[task] != nil && !gone.contains(task) }
    func continued(by task: TaskID) -> TaskID? { parents[task] }
    func chain(of task: TaskID) -> TaskID { chains[task] ?? task }
    func forEachAwaited(by task: TaskID, _ body: (TaskID) -> Void) { awaited[task]?.forEach(body) }

    func forEachInput(of task: TaskID, _ body: (TaskID) -> Void) { inputs[task]?.forEach(body) }
    func inner(of task: TaskID) -> TaskID? { inners[task] }
    func isJoin(_ task: TaskID) -> Bool { inputs[task] != nil }
    func hasSucceeded(_ task: TaskID) -> Bool { succeeded.contains(task) }
    func forEachSuccessor(of task: TaskID, _ body: (TaskID, RailKind) -> Void) {
        for (successor, kind) in successors[task] ?? [] { body(successor, kind) }
    }
}

/// Pseudo-random numbers, the same on every machine. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
