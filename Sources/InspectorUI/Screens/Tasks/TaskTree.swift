import TaskEvents
import TraceStore

/// The tasks of a list as a tree, as `hopscope ps` prints them: a task stands below the one that made it or that it continues. Siblings stand
/// in the order of the list, and a task whose maker is not in the list stands at the left.
struct TaskTree {
    /// The largest number of tasks in a tree. A tree is made again with each order of the list, so this bounds the cost of a frame.
    static let limit = 10_000
    /// Deeper tasks are not indented further, because a chain can have a million links.
    private static let mostIndented = 12

    /// From the top to the bottom.
    private(set) var tasks: [TaskID] = []
    /// The lines that lead to each task, before its name: `│  └─ `.
    private(set) var leads: [TaskID: String] = [:]

    init() {}

    /// - Parameter list: at most ``limit`` tasks.
    init(_ list: [TaskID], in store: TraceStore, isASCII: Bool) {
        var children = Dictionary(uniqueKeysWithValues: list.map { ($0, [TaskID]()) })
        var roots: [TaskID] = []
        for id in list {
            let parent = store.task(id)?.continued
            if let parent, children[parent] != nil { children[parent]?.append(id) } else { roots.append(id) }
        }
        let lines = isASCII ? Lines(branch: "|- ", last: "`- ", rail: "|  ") : Lines(branch: "├─ ", last: "└─ ", rail: "│  ")
        for root in roots { add(root, children, lines) }
        // The links of a damaged trace can form circles, which no root leads to.
        for id in list where leads[id] == nil { add(id, children, lines) }
    }

    private struct Lines {
        let branch, last, rail: String
    }

    private mutating func add(_ root: TaskID, _ children: [TaskID: [TaskID]], _ lines: Lines) {
        var open = [(task: root, lead: "", rest: "", depth: 0)]
        while let (task, lead, rest, depth) = open.popLast() {
            guard leads.updateValue(lead, forKey: task) == nil else { continue }
            tasks.append(task)
            let below = children[task, default: []]
            let isDeep = depth == Self.mostIndented
            for (index, child) in below.enumerated().reversed() {
                let isLast = index == below.count - 1
                let childLead = isDeep ? lead : rest + (isLast ? lines.last : lines.branch)
                open.append((child, childLead, isDeep ? rest : rest + (isLast ? "   " : lines.rail), isDeep ? depth : depth + 1))
            }
        }
    }
}
