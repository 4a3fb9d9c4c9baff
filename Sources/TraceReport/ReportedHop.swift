import TaskEvents
import TraceAnalysis
import TraceStore

/// A hop as the JSON report has it.
struct ReportedHop: Encodable {
    private let hop: ClassedHop
    private let from: String?
    private let to: String

    init(_ hop: ClassedHop, in store: TraceStore) {
        self.hop = hop
        from = hop.hop.from == .none ? nil : store.description(of: hop.hop.from).name
        to = store.description(of: hop.hop.to).name
    }

    private enum Key: String, CodingKey {
        case task, from, to
        case wait = "wait_ns"
        case hopClass = "class"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(hop.hop.task.rawValue, forKey: .task)
        try container.encodeOrNull(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encodeOrNull(hop.hop.wait, forKey: .wait)
        try container.encode(hop.hopClass.name, forKey: .hopClass)
    }
}
