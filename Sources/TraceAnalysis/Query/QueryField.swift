import TaskEvents
import TraceStore

/// What of a task a query can ask for.
package enum QueryField: String, CaseIterable, Sendable {
    case state, kind, on, name, site, error, warn, id, chain, total, busy, queued, suspended, hops, next

    /// How the field's values are written.
    enum Value {
        /// One of a few words, or several of them with commas between.
        case words([String])
        /// A text: `:` for the whole with `*` and `?` as in file names, `~` for a part.
        case text
        case number
        case duration
    }

    var value: Value {
        switch self {
        case .state: .words(TaskState.allCases.map(\.name) + ["live", "ended", "skipped"])
        case .kind: .words(TaskKind.allCases.map(\.name))
        case .warn: .words(["any", "none"] + WarningRules.all.map(\.id))
        case .on, .name, .site, .error: .text
        case .id, .chain, .hops, .next: .number
        case .total, .busy, .queued, .suspended: .duration
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

    /// What it asks for, for help and completion.
    package var summary: String {
        switch self {
        case .state: "what it is doing, or how it ended"
        case .kind: "how it came to be"
        case .on: "the executor that it asked for"
        case .name: "its name"
        case .site: "where in the source it was made"
        case .error: "the error that it failed with"
        case .warn: "what the warnings say of it"
        case .id: "its number"
        case .chain: "its chain, by the number of the chain's first task"
        case .total: "from its creation to its end"
        case .busy: "how long its body ran"
        case .queued: "how long it waited in queues"
        case .suspended: "how long it waited for other tasks"
        case .hops: "how often it changed executors"
        case .next: "how many tasks continue from it"
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
