import TaskEvents
import TraceStore

/// The samples of a profile as a tree of calls: below each function what it called, with the number of samples of each.
///
/// The first level are the outermost tasks, then the tasks that they made, then the calls of the innermost one. Tasks that were made at one
/// place are one node.
package struct FlameTree: Sendable {
    package struct Node: Sendable {
        package fileprivate(set) var name: String
        /// The index of the caller; -1 for the root.
        package let parent: Int
        package fileprivate(set) var depth: Int
        /// The task of a node that stands for one or several; then the first of them.
        package let task: TaskID
        /// The file and line of a call in it, such as `App.swift:12`; empty where they are unknown.
        package let site: String
        /// Samples here and below.
        package fileprivate(set) var count = 0
        /// Samples in the function itself.
        package fileprivate(set) var own = 0
        /// The largest first.
        package fileprivate(set) var children: [Int] = []
    }

    /// The sum of all calls of one function.
    package struct Function: Sendable {
        package let name: String
        /// Samples in the function itself.
        package fileprivate(set) var own = 0
        /// Samples in it and in what it called.
        package fileprivate(set) var total = 0
    }

    private struct Key: Hashable {
        var parent: Int
        /// The function, or the site that made the tasks.
        var name: String
        var isTask: Bool
        /// A task whose site is unknown.
        var task: TaskID
    }

    /// The root is the first one. A caller comes before what it called.
    package private(set) var nodes = [Node(name: "all", parent: -1, depth: 0, task: .none, site: "")]
    /// For each stack, the node of its innermost task.
    private var innermostTasks: [Int] = []

    package init(_ stacks: [NamedStack], in store: TraceStore) {
        var known: [Key: Int] = [:]
        var tasks: [Int: Set<TaskID>] = [:]
        for stack in stacks {
            var node = 0
            for (index, name) in stack.taskNames.enumerated() {
                let task = stack.tasks.indices.contains(index) ? stack.tasks[index] : .none
                let site = PrintableText.text(store.task(task)?.label.site ?? "")
                let key = Key(parent: node, name: site, isTask: true, task: site.isEmpty ? task : .none)
                node = child(of: node, key, Node(name: PrintableText.text(name), parent: node, depth: 0, task: task, site: site), &known)
                tasks[node, default: []].insert(task)
            }
            innermostTasks.append(node)
            for frame in stack.frames.reversed() {
                let site = frame.file.isEmpty ? "" : PrintableText.text("\(frame.file):\(frame.line)")
                let name = Self.shortened(PrintableText.text(frame.function))
                let key = Key(parent: node, name: name, isTask: false, task: .none)
                node = child(of: node, key, Node(name: name, parent: node, depth: 0, task: .none, site: site), &known)
            }
            nodes[node].own += stack.count
            var next = node
            while next >= 0 {
                nodes[next].count += stack.count
                next = nodes[next].parent
            }
        }
        for (node, tasks) in tasks where tasks.count > 1 { nodes[node].name += " and \(CountText.text(tasks.count - 1)) more" }
        for index in nodes.indices {
            let counts = nodes[index].children.map { (child: $0, count: nodes[$0].count) }
            nodes[index].children = counts.sorted { ($1.count, $0.child) < ($0.count, $1.child) }.map(\.child)
        }
    }

    /// `witness of Clock.now.getter` for `protocol witness for Clock.now.getter in conformance ContinuousClock`.
    package static func shortened(_ function: String) -> String {
        let lead = "protocol witness for "
        guard function.hasPrefix(lead) else { return function }
        let method = function.dropFirst(lead.count)
        return "witness of \(method.firstRange(of: " in conformance ").map { method[..<$0.lowerBound] } ?? method)"
    }

    private mutating func child(of parent: Int, _ key: Key, _ new: @autoclosure () -> Node, _ known: inout [Key: Int]) -> Int {
        if let index = known[key] { return index }
        let index = nodes.count
        var node = new()
        node.depth = nodes[parent].depth + 1
        nodes.append(node)
        nodes[parent].children.append(index)
        known[key] = index
        return index
    }

    package var count: Int { nodes[0].count }

    /// The nodes of a stack's tasks, outermost first.
    package func taskNodes(ofStack index: Int) -> [Node] {
        var found: [Node] = []
        var next = innermostTasks[index]
        while next > 0 {
            found.append(nodes[next])
            next = nodes[next].parent
        }
        return found.reversed()
    }

    /// The functions with the most samples of their own below a node, the most first.
    package func top(_ limit: Int, below root: Int = 0) -> [Function] {
        var functions: [String: Function] = [:]
        for index in nodes.indices where isBelow(index, root) {
            let node = nodes[index]
            var function = functions[node.name] ?? Function(name: node.name)
            function.own += node.own
            // A call inside another one of the same function is counted with the outer one.
            if !isRecursive(index, root) { function.total += node.count }
            functions[node.name] = function
        }
        let sorted = functions.values.filter { $0.own > 0 }.sorted { ($1.own, $0.name) < ($0.own, $1.name) }
        return Array(sorted.prefix(limit))
    }

    private func isRecursive(_ index: Int, _ root: Int) -> Bool {
        var next = index
        while next != root {
            next = nodes[next].parent
            if nodes[next].name == nodes[index].name { return true }
        }
        return false
    }

    /// Whether a node is an ancestor or itself another one.
    package func isBelow(_ node: Int, _ ancestor: Int) -> Bool {
        var next = node
        while next > ancestor { next = nodes[next].parent }
        return next == ancestor
    }
}
