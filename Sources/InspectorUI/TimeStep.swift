/// The unit of a step through the events.
enum TimeStep: Hashable, Sendable {
    case event, fault, hop, remark
    /// The next event of the selected task's chain.
    case chain

    /// The step's event in messages.
    var word: String {
        switch self {
        case .event: "event"
        case .fault: "fault"
        case .hop: "hop"
        case .remark: "remark"
        case .chain: "event of that chain"
        }
    }
}
