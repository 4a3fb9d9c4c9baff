import TaskEvents
import TraceStore

/// Words for the sentences of rules, free of control characters.
package struct WarningWords {
    let store: TraceStore
    let isASCII: Bool
    private let words: TaskWords

    package init(_ store: TraceStore, isASCII: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        words = TaskWords(store)
    }

    /// The name between backticks that the finding's task had then, even if the store has dropped the task or the task has another name now.
    /// A block has the words of its place.
    func name(of finding: Finding) -> String {
        let label = finding.label(in: store)
        guard let label = store.label(ofTask: label, named: finding.name) else { return name(finding.task) }
        return finding.task.isBlock ? block(label) : "`\(TaskWords.name(label, in: store))`"
    }

    /// A task's name between backticks. `task 12` for a task that the store does not keep. A block has the words of its place.
    func name(_ task: TaskID) -> String {
        guard task != .none else { return "a closure" }
        guard let view = store.task(task) else { return task.words }
        return task.isBlock ? block(view.label) : "`\(words.name(of: view))`"
    }

    /// `the block at Main.swift:12`; an operation has its name, too. The function that made the block if its line is not known.
    private func block(_ label: Label) -> String {
        let place = PrintableText.text("\(label.file.split(separator: "/").last ?? ""):\(label.line)")
        if let name = label.givenName {
            return "the operation `\(PrintableText.text(name))`\(label.file.isEmpty ? "" : " at \(place)")"
        }
        return label.file.isEmpty ? "a block of `\(TaskWords.name(label, in: store))`" : "the block at \(place)"
    }

    func name(_ executor: ExecutorID) -> String {
        words.name(executor)
    }

    func duration(_ nanoseconds: UInt64) -> String {
        DurationText.text(nanoseconds, isASCII: isASCII)
    }

    /// The text of an error.
    func error(_ entry: EntryID) -> String {
        ErrorText.text(store.entries.error(entry))
    }

    /// A label's call site. Nil if the label has none.
    func site(_ label: EntryID) -> String? {
        guard let label = store.entries.label(label), !label.site.isEmpty else { return nil }
        return PrintableText.text(label.site)
    }

    /// The place of calls that an event names. Nil for any other label, and if the place is unknown.
    func callSite(_ calls: EntryID) -> String? {
        guard let site = store.symbol(ofCall: calls)?.site, !site.isEmpty else { return nil }
        return PrintableText.text(site)
    }

    /// A label's call site. Nil if the label has none, and if the name of its task tells it.
    func siteBesideName(_ label: EntryID) -> String? { store.entries.label(label)?.isOfCode == true ? nil : site(label) }

    /// The name of the function that a label of calls names, between backticks. Nil if it is not known.
    func function(_ label: EntryID) -> String? {
        guard let label = store.entries.label(label), !label.name.isEmpty else { return nil }
        return "`\(PrintableText.text(label.name))`"
    }

    /// Capitalizes the words for the beginning of a sentence. An executor's name at the beginning keeps its spelling, without this.
    func sentence(_ words: String) -> String {
        words.prefix(1).uppercased() + words.dropFirst()
    }
}
