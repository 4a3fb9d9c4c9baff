import TaskEvents
import TraceStore

/// The courses of tasks, and the ends of their groups' children, each computed once.
///
/// Many paths lead through the same tasks: nearly all of a program's go back to its main task, which may have more steps than all others.
final class TaskCourses {
    let store: TraceStore
    let steps: TaskSteps
    private var courses: [TaskID: TaskCourse] = [:]
    /// For each task, the children of its groups that have ended, the first ended one first.
    private var children: [TaskID: [(ended: UInt64, task: TaskID)]] = [:]

    init(_ store: TraceStore, _ steps: TaskSteps) {
        (self.store, self.steps) = (store, steps)
    }

    func course(of task: TaskView) -> TaskCourse {
        if let known = courses[task.id] { return known }
        let course = TaskCourse(of: task, steps, in: store)
        courses[task.id] = course
        return course
    }

    /// The child of the task's groups that was the last to end until a time. `.none` if no child had ended.
    func lastGroupChild(of task: TaskView, until time: UInt64) -> TaskID {
        let children = groupChildren(of: task)
        let index = children.partitioningIndex { $0.ended > time }
        return index > 0 ? children[index - 1].task : .none
    }

    /// The children of the task's groups that ended in a range of time, at most 64: the last ones.
    func groupChildren(of task: TaskView, in range: ClosedRange<UInt64>) -> [TaskID] {
        let children = groupChildren(of: task)
        let first = children.partitioningIndex { $0.ended > range.lowerBound }
        let last = children.partitioningIndex { $0.ended > range.upperBound }
        return children[first..<max(first, last)].suffix(64).map(\.task)
    }

    private func groupChildren(of task: TaskView) -> [(ended: UInt64, task: TaskID)] {
        if let known = children[task.id] { return known }
        var found: [(ended: UInt64, task: TaskID)] = []
        for id in task.successors {
            guard let child = store.task(id), child.kind == .groupChild, let ended = child.ended else { continue }
            found.append((ended, id))
        }
        found.sort { ($0.ended, $0.task) < ($1.ended, $1.task) }
        children[task.id] = found
        return found
    }
}
