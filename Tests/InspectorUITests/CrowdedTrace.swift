import TaskEvents
import TerminalCanvas
import TraceTestKit

/// Traces of shapes that crowd around one task, one executor or one name.
enum CrowdedTrace {
    enum Shape: String, CaseIterable {
        case children = "one parent, children not awaited"
        case awaitedChildren = "one parent, each child awaited"
        case chain = "one chain"
        case executors = "an executor for each task, up to 65,534"
        case equalNames = "all names equal"
        case differentNames = "all names different"
        case joinedFaults = "faults through one join"
    }

    static let screens: [(name: String, key: Key)] = [
        ("Overview", .character("0")), ("Tasks", .character("1")), ("Graph", .character("2")), ("Executors", .character("3")),
        ("Timeline", .character("4")), ("Faults", .character("5")), ("Hops", .character("6")), ("Warnings", .character("7")),
        ("Events", .character("9")),
    ]

    static func trace(_ shape: Shape, _ count: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        switch shape {
        case .children, .awaitedChildren:
            let parent = trace.create(.unstructured, "parent")
            for _ in 1..<count {
                let child = trace.create(.unstructured, "child", of: [parent])
                if shape == .awaitedChildren {
                    trace.suspend(parent, .task, awaiting: child)
                    trace.resume(parent)
                }
            }
        case .chain:
            var last = trace.root("first")
            for _ in 1..<count { last = trace.continuation("next", of: last) }
        case .executors:
            let executors = (0..<min(count, 65_534)).map { trace.executor("queue \($0)", .queue) }
            for index in 0..<count { trace.enqueue(trace.root("task", on: executors[index % executors.count])) }
        case .equalNames:
            for _ in 0..<count { trace.complete(trace.root("same")) }
        case .differentNames:
            for index in 0..<count { trace.complete(trace.root("name \(index)")) }
        case .joinedFaults:
            let roots = (0..<count).map { trace.root("root \($0)") }
            let join = trace.join(of: roots)
            for root in roots { trace.fault(root, type: "Refused", message: "no") }
            trace.fault(join, type: "AggregateError", message: "several", .transformed, from: roots[0])
        }
        return trace
    }
}
