import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

struct ReportedHop: JSONFields {
    private let hop: ClassedHop
    private let from: String?
    private let to: String

    init(_ hop: ClassedHop, in store: TraceStore) {
        self.hop = hop
        from = hop.hop.from == .none ? nil : store.description(of: hop.hop.from).name
        to = store.description(of: hop.hop.to).name
    }

    func writeFields(to line: inout JSONLine) {
        line.field("class", hop.hopClass.name)
        line.field("from", orNull: from)
        line.field("task", hop.hop.task.rawValue)
        line.field("to", to)
        line.field("wait_ns", orNull: hop.hop.wait)
    }
}
