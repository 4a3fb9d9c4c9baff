import TaskEvents
import TraceAnalysis
import TraceStore

/// What the task list is narrowed to: tasks that have every one of some words.
///
/// A word is looked for in the task's name, state, executor and error, whatever its case. The list asks only ``TaskMatcher``, so that a
/// richer query takes this one's place by giving a matcher of its own.
package struct TaskFilter: Hashable, Sendable {
    package private(set) var words: [String]

    package init(_ text: String = "") {
        words = text.lowercased().split(separator: " ").map(String.init)
    }

    var isEmpty: Bool { words.isEmpty }
}

/// Matches tasks against a filter. A name, an executor or an error is looked at once, however many tasks have it.
struct TaskMatcher {
    private typealias Words = UInt64

    private let words: [String]
    private let all: Words
    private var inNames: [EntryID: Words] = [:]
    private var inExecutors: [ExecutorID: Words] = [:]
    private var inErrors: [EntryID: Words] = [:]
    private var inStates: [String: Words] = [:]

    init(_ filter: TaskFilter) {
        words = Array(filter.words.prefix(63))
        all = 1 << Words(words.count) - 1
    }

    mutating func matches(_ task: TaskView, in store: TraceStore) -> Bool {
        guard !words.isEmpty else { return true }
        var found: Words = 0
        if task.labelID == .none {
            found = places(in: task.label.name)
        } else {
            found = remembered(in: \.inNames, task.labelID) { task.label.name }
        }
        if found == all { return true }
        found |= remembered(in: \.inStates, StateMark(task).word) { StateMark(task).word }
        if task.executor != .none {
            found |= remembered(in: \.inExecutors, task.executor) { store.description(of: task.executor).name }
        }
        if task.error != .none {
            found |= remembered(in: \.inErrors, task.error) { ErrorText.text(store.entries.error(task.error)) }
        }
        return found == all
    }

    private mutating func remembered<ID: Hashable>(
        in table: WritableKeyPath<TaskMatcher, [ID: Words]>, _ id: ID, _ text: () -> String
    ) -> Words {
        if let known = self[keyPath: table][id] { return known }
        let found = places(in: text())
        self[keyPath: table][id] = found
        return found
    }

    /// A bit for every word that the text has.
    private func places(in text: String) -> Words {
        let text = text.lowercased()
        return words.indices.reduce(0) { text.contains(words[$1]) ? $0 | 1 << Words($1) : $0 }
    }
}
