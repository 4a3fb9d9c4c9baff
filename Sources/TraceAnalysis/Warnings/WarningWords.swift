import TaskEvents
import TraceStore

/// The words that the rules' sentences are made of: nothing in them that a terminal would act on.
package struct WarningWords {
    let store: TraceStore
    let isASCII: Bool
    private let words: TaskWords

    package init(_ store: TraceStore, isASCII: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        words = TaskWords(store)
    }

    /// The task's name between backticks; `task 12` for one that the store does not keep.
    func name(_ task: TaskID?) -> String {
        guard let task, task != .none else { return "a job that is no task's" }
        guard let view = store.task(task) else { return "task \(task.rawValue)" }
        return "`\(words.name(of: view))`"
    }

    func name(_ executor: ExecutorID?) -> String {
        words.name(executor ?? .none)
    }

    func duration(_ nanoseconds: UInt64) -> String {
        DurationText.text(nanoseconds, isASCII: isASCII)
    }

    /// The error that a task failed with.
    func error(of task: TaskID?) -> String {
        let error = task.flatMap { store.task($0) }?.error ?? .none
        return ErrorText.text(store.entries.error(error))
    }

    func site(_ label: EntryID) -> String? {
        guard let label = store.entries.label(label), !label.site.isEmpty else { return nil }
        return PrintableText.text(label.site)
    }

    /// The words at a sentence's beginning.
    func sentence(_ words: String) -> String {
        words.prefix(1).uppercased() + words.dropFirst()
    }
}
