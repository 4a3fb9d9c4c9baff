import TaskEvents
import TraceStore

/// The number by which a column sorts a task.
enum TaskSortKey: Sendable {
    case fact(TaskFact)
    /// A fact that can be unknown. Unknown counts as 0.
    case knownFact(TaskFact)
    case state
    case next
    /// The cause of the task's wait. Tasks with the same cause are adjacent.
    case wait
    /// A text that depends on a single fact.
    case text(TaskFact, @Sendable (UInt64, TraceStore) -> TextNumbers.Text)
}

/// The texts by which tasks are sorted and grouped.
enum TaskSortText {
    /// The label for a ``TaskFact/label``.
    private static func label(_ fact: UInt64, in store: TraceStore) -> Label? {
        store.label(ofTask: EntryID(rawValue: UInt32(truncatingIfNeeded: fact)), named: EntryID(rawValue: UInt32(fact >> 32)))
    }

    /// The library that made the task and whose code it runs. The program's own tasks come first, and so do tasks that it has named.
    static func library(_ fact: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let (entries, label) = (store.entries, EntryID(rawValue: UInt32(truncatingIfNeeded: fact)))
        guard fact >> 32 == 0, entries.owner(of: label) == .library,
            let library = entries.symbol(ofCall: entries.code(ofLabel: label) ?? label)?.library
        else { return TextNumbers.Text(text: "", name: .library("")) }
        return TextNumbers.Text(rank: 1, text: library, name: .library(library))
    }

    @Sendable static func name(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let name = self.label(label, in: store)?.fullName
        // A task without a name is shown by its number.
        return TextNumbers.Text(text: name ?? "task", number: name == nil ? 0 : 1, name: .name(name))
    }

    @Sendable static func site(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let label = self.label(label, in: store)
        let file = label?.file.split(separator: "/").last.map(String.init) ?? ""
        return TextNumbers.Text(text: file, number: label?.line ?? 0)
    }

    /// The file and the line, with the module: two modules can have a file of one name.
    static func siteWithModule(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let label = self.label(label, in: store)
        return TextNumbers.Text(text: label?.file ?? "", number: label?.line ?? 0, name: .site(label?.site ?? ""))
    }

    @Sendable static func executor(_ executor: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let id = ExecutorID(rawValue: UInt16(truncatingIfNeeded: executor))
        // Tasks without an executor come last.
        guard id != .none else { return TextNumbers.Text(rank: 2, text: "", name: .executor(.none)) }
        return TextNumbers.Text(rank: 1, text: store.description(of: id).name, name: .executor(id))
    }
}
