import TaskEvents
import TraceStore

/// A query made ready for one store: asks of each name, error and executor once, and of each task only numbers.
///
/// Good as long as the query is the same; names that come later are asked when they are met. Belongs to the store's thread.
package struct TaskQueryMatcher {
    private let store: TraceStore
    private var terms: [CompiledTerm]
    private let warnings: WarningIndex

    /// `warnings` is what the rules say of each task, for a query that asks for it (``TaskQuery/asksForWarnings``).
    package init(_ query: TaskQuery, in store: TraceStore, warnings: WarningIndex = WarningIndex()) {
        self.store = store
        self.warnings = warnings
        // What is told apart by a number goes before what needs a name.
        terms = query.terms.map { CompiledTerm($0, in: store, warnings) }.sorted { $0.cost < $1.cost }
    }

    package mutating func matches(_ task: TaskView) -> Bool {
        for index in terms.indices where terms[index].fits(task, store) == terms[index].isNegated { return false }
        return true
    }
}

/// One term with what it has found out about names so far.
private struct CompiledTerm {
    let isNegated: Bool
    private let test: Test
    private var labels = AnswerTable()
    private var errors = AnswerTable()
    private var executors = AnswerTable()

    private enum Test {
        case free(String)
        /// Bits by ``TaskState``, for those that were skipped and those that were not.
        case state(UInt8, skipped: Bool)
        case kind(UInt16)
        case name(TextTest)
        case site(TextTest)
        case error(TextTest)
        case executor(TextTest)
        case number(QueryField, QuerySign, [UInt64])
        case tasks(Set<TaskID>)
    }

    init(_ term: QueryTerm, in store: TraceStore, _ warnings: WarningIndex) {
        var isNegated = term.isNegated
        switch term.condition {
        case .free(let text): test = .free(text)
        case .state(let states): test = .state(Self.bits(of: states), skipped: states.contains(.skipped))
        case .kind(let bits): test = .kind(bits)
        case .text(let field, let sign, let texts):
            let text = TextTest(sign, texts)
            switch field {
            case .site: test = .site(text)
            case .error: test = .error(text)
            case .on: test = .executor(text)
            case .name, .state, .kind, .warn, .id, .chain, .total, .busy, .queued, .suspended, .hops, .next: test = .name(text)
            }
        case .number(let field, let sign, let numbers): test = .number(field, sign, numbers)
        case .warning(let rules, let isNone):
            test = .tasks(warnings.tasks(of: rules))
            if isNone { isNegated.toggle() }
        }
        self.isNegated = isNegated
    }

    private static func bits(of states: Set<QueryState>) -> UInt8 {
        TaskState.allCases.reduce(0) { bits, state in
            let isAsked = states.contains { $0.rawValue == state.name || $0 == (state.hasEnded ? .ended : .live) }
            return isAsked ? bits | 1 << state.rawValue : bits
        }
    }

    var cost: Int {
        switch test {
        case .state, .kind: 0
        case .executor, .name, .site: 1
        case .tasks, .error, .number: 2
        case .free: 3
        }
    }

    mutating func fits(_ task: TaskView, _ store: TraceStore) -> Bool {
        switch test {
        case .state(let bits, let skipped): bits & 1 << task.state.rawValue != 0 || skipped && task.isSkipped
        case .kind(let bits): bits & 1 << UInt16(task.kind.rawValue) != 0
        case .name(let text): labels.answer(task.labelID) { text.fits(task.label.name) }
        case .site(let text): labels.answer(task.labelID) { text.fits(task.label.site) }
        case .executor(let text): fitsExecutor(text, task, store)
        case .error(let text): fitsError(text, task, store)
        case .number(let field, let sign, let numbers): Self.fits(task, field, sign, numbers, store)
        case .tasks(let tasks): tasks.contains(task.id)
        case .free(let text): fitsFreely(text, task, store)
        }
    }

    private mutating func fitsExecutor(_ text: TextTest, _ task: TaskView, _ store: TraceStore) -> Bool {
        let id = task.executor
        guard id != .none else { return false }
        return executors.answer(EntryID(rawValue: UInt32(id.rawValue))) { text.fits(store.description(of: id).name) }
    }

    private mutating func fitsError(_ text: TextTest, _ task: TaskView, _ store: TraceStore) -> Bool {
        guard task.state == .faulted else { return false }
        let id = task.error
        return errors.answer(id) { text.fits(ErrorText.text(store.entries.error(id))) }
    }

    private mutating func fitsFreely(_ text: String, _ task: TaskView, _ store: TraceStore) -> Bool {
        let test = TextTest(.contains, [text])
        let isNamed = labels.answer(task.labelID) { test.fits(task.label.name) || test.fits(task.label.site) }
        return isNamed || fitsExecutor(test, task, store) || fitsError(test, task, store)
    }

    private static func fits(
        _ task: TaskView, _ field: QueryField, _ sign: QuerySign, _ numbers: [UInt64], _ store: TraceStore
    ) -> Bool {
        let number: UInt64
        switch field {
        case .id: number = task.id.rawValue
        case .chain: number = task.chain.rawValue
        case .total:
            guard let created = task.created else { return false }
            let end = task.ended ?? store.now
            number = end > created ? end - created : 0
        case .busy: number = task.busy
        case .queued: number = task.queuedTime
        case .suspended: number = task.suspendedTime
        case .hops: number = UInt64(task.hopCount)
        case .next: number = UInt64(task.successorCount)
        case .state, .kind, .on, .name, .site, .error, .warn: return false
        }
        return numbers.contains { sign.holds(number, $0) }
    }
}

/// Whether a text fits one of some: as a part of it, or as the whole.
private struct TextTest {
    private let parts: [String]
    private let patterns: [NamePattern]

    /// The texts are in lower case.
    init(_ sign: QuerySign, _ texts: [String]) {
        parts = sign == .contains ? texts : []
        patterns = sign == .contains ? [] : texts.map(NamePattern.init)
    }

    func fits(_ text: String) -> Bool {
        let text = text.lowercased()
        return parts.contains { text.contains($0) } || patterns.contains { $0.matches(text) }
    }
}

/// Answers by the number of an entry, each asked for once. What has no number is asked each time.
private struct AnswerTable {
    private var answers: [UInt8] = []

    mutating func answer(_ id: EntryID, _ ask: () -> Bool) -> Bool {
        let index = Int(id.rawValue)
        guard index > 0 else { return ask() }
        if index < answers.count, answers[index] != 0 { return answers[index] == 2 }
        let answer = ask()
        if index >= answers.count { answers += Array(repeating: 0, count: max(index + 1 - answers.count, answers.count)) }
        answers[index] = answer ? 2 : 1
        return answer
    }
}
