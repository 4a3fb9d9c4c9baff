import TaskEvents
import TraceStore

/// A field of a task that a query can test. The raw value is its spelling.
package enum QueryField: String, CaseIterable, Sendable {
    case state, kind, on, waits, name, site, error, warn, id, chain, total, busy, queued, suspended, hops, next

    /// The form of a field's values.
    enum Value {
        /// One of a few words, or several of them separated by commas.
        case words([String])
        /// A text. `:` matches the whole text, with `*` and `?` as in file names; `~` matches a part.
        case text
        case number(TaskFact)
        case duration(TaskFact)
    }

    private var row: (summary: String, example: String, value: Value) {
        switch self {
        case .state:
            ("what it is doing, or how it ended", "state:faulted", .words(TaskState.allCases.map(\.name) + ["live", "ended", "skipped"]))
        case .kind: ("how it was made", "kind:join", .words(TaskKind.allCases.filter { $0 != .main }.map(\.name)))
        case .on: ("the executor that it asked for; of a Swift task the one that it runs on, or whose queue it waits in", "on:main", .text)
        case .waits: ("what it waits for: an executor, a task, or a kind of wait such as timer", "waits:main", .text)
        case .name: ("its name", "name~save", .text)
        case .site: ("where in the source it was made", "site~main.swift", .text)
        case .error: ("the error that it failed with", "error~timeout", .text)
        case .warn: ("what the warnings say of it", "warn:any", .words(["any", "none"] + WarningRules.all.map(\.id)))
        case .id: ("its number", "id:12", .number(.id))
        case .chain: ("its chain, by the number of the chain's first task", "chain:12", .number(.chain))
        case .total: ("from its creation to its end", "total>10ms", .duration(.totalSinceCreation))
        case .busy: ("how long its body ran", "busy>1s", .duration(.busy))
        case .queued: ("how long it waited in queues", "queued>500us", .duration(.queued))
        case .suspended: ("how long it waited for other tasks", "suspended>10ms", .duration(.suspended))
        case .hops: ("how often it changed executors", "hops>2", .number(.hops))
        case .next: ("how many tasks continue from it", "next>10", .number(.successors))
        }
    }

    /// The field's meaning, for help and completion.
    package var summary: String { row.summary }
    /// An example of the field in a query, for help and error messages.
    package var example: String { row.example }
    var value: Value { row.value }

    /// The number that the field compares. Nil for words and texts.
    var fact: TaskFact? {
        switch value {
        case .number(let fact), .duration(let fact): fact
        case .words, .text: nil
        }
    }

    /// The signs that may stand between the field and its value.
    var signs: [QuerySign] {
        switch value {
        case .words: [.has]
        case .text: [.has, .contains]
        case .number, .duration: [.has, .more, .less, .atLeast, .atMost]
        }
    }
}

package enum QuerySign: String, CaseIterable, Sendable {
    case has = ":"
    case contains = "~"
    case atLeast = ">="
    case atMost = "<="
    case more = ">"
    case less = "<"
}
