import TaskEvents
import TraceStore

/// Equal samples with the names of their tasks and calls, as the profile screen and the exports show them.
package struct NamedStack: Sendable {
    package struct Frame: Hashable, Sendable {
        package var function: String
        package var file: String
        package var line: UInt32
        package var place: CodeAddress
    }

    /// The task whose body ran; `.none` for a sample outside of all tasks.
    package let task: TaskID
    /// That task and those that it continues, or that made it, outermost first.
    package let tasks: [TaskID]
    /// The names of ``tasks``: `main #1`. One row for a sample of no task.
    package let taskNames: [String]
    /// The innermost first.
    package let frames: [Frame]
    package let count: Int

    /// - Parameter names: the functions that each place is in, the innermost inlined one first.
    package static func all(of stacks: SampledStacks, _ names: [CodeAddress: [CodeSymbol]], in store: TraceStore) -> [NamedStack] {
        let words = TaskWords(store)
        return stacks.sampled.map { sampled in
            let tasks = SampledStacks.ancestors(of: sampled.task, in: store)
            let taskNames = tasks.map { "\(words.name(of: $0)) #\($0.rawValue)" }
            let frames = sampled.frames.flatMap { Self.frames(at: $0, names) }
            return NamedStack(
                task: sampled.task, tasks: tasks, taskNames: taskNames.isEmpty ? ["no task"] : taskNames,
                frames: Array(frames.prefix { sampled.task == .none || !SampledStacks.startsJobs($0.function) }),
                count: sampled.count)
        }
    }

    private static func frames(at place: CodeAddress, _ names: [CodeAddress: [CodeSymbol]]) -> [Frame] {
        let symbols = (names[place] ?? []).filter { !$0.function.isEmpty }
        guard !symbols.isEmpty else {
            let file = place.module.split(separator: "/").last.map(String.init) ?? "unknown"
            return [Frame(function: file, file: "", line: 0, place: place)]
        }
        return symbols.map { Frame(function: $0.function, file: $0.file, line: $0.line, place: place) }
    }
}
