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
    @Sendable static func name(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let name = store.entries.label(ofTask: EntryID(rawValue: UInt32(truncatingIfNeeded: label)))?.fullName
        // A task without a name is shown by its number.
        return TextNumbers.Text(text: name ?? "task", number: name == nil ? 0 : 1, name: .name(name))
    }

    @Sendable static func site(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let label = store.entries.label(ofTask: EntryID(rawValue: UInt32(truncatingIfNeeded: label)))
        let file = label?.file.split(separator: "/").last.map(String.init) ?? ""
        return TextNumbers.Text(text: file, number: label?.line ?? 0)
    }

    /// The file and the line, with the module: two modules can have a file of one name.
    static func siteWithModule(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let label = store.entries.label(ofTask: EntryID(rawValue: UInt32(truncatingIfNeeded: label)))
        return TextNumbers.Text(text: label?.file ?? "", number: label?.line ?? 0, name: .site(label?.site ?? ""))
    }

    @Sendable static func executor(_ executor: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let id = ExecutorID(rawValue: UInt16(truncatingIfNeeded: executor))
        // Tasks without an executor come last.
        guard id != .none else { return TextNumbers.Text(rank: 2, text: "", name: .executor(.none)) }
        return TextNumbers.Text(rank: 1, text: store.description(of: id).name, name: .executor(id))
    }
}
