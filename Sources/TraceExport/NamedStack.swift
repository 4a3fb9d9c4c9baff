import TaskEvents
import TraceAnalysis
import TraceStore

/// A stack of samples as exports write it.
struct NamedStack {
    struct Frame: Hashable {
        var function: String
        var file: String
        var line: UInt32
        var place: CodeAddress
    }

    /// The outermost first: `main #1`.
    let tasks: [String]
    /// The innermost first.
    let frames: [Frame]
    let count: Int

    static func all(of profile: ProfiledTrace, in store: TraceStore) -> [NamedStack] {
        let words = TaskWords(store)
        return profile.stacks.sampled.map { sampled in
            let tasks = SampledStacks.ancestors(of: sampled.task, in: store).map { "\(words.name(of: $0)) #\($0.rawValue)" }
            let frames = sampled.frames.flatMap { place -> [Frame] in
                let symbols = (profile.names[place] ?? []).filter { !$0.function.isEmpty }
                guard !symbols.isEmpty else {
                    let file = place.module.split(separator: "/").last.map(String.init) ?? "unknown"
                    return [Frame(function: file, file: "", line: 0, place: place)]
                }
                return symbols.map { Frame(function: $0.function, file: $0.file, line: $0.line, place: place) }
            }
            return NamedStack(
                tasks: tasks.isEmpty ? ["no task"] : tasks,
                frames: Array(frames.prefix { sampled.task == .none || !SampledStacks.startsJobs($0.function) }),
                count: sampled.count)
        }
    }
}
