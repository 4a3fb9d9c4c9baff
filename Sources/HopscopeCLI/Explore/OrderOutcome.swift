import CExploreRecord
import TraceAnalysis

/// A way in which an order can end.
enum OrderEnding: Equatable {
    case exited(Int32)
    case killed(Int32)
    /// Nothing can run, and no timer is set.
    case deadlock
    /// It did not end in time.
    case hang
    /// A rule finds something in its trace.
    case finding(rule: String)
    /// It had too many choices, or went on for too long, so nothing is known of its end.
    case cutShort

    init(_ header: explore_header) {
        switch header.ending {
        case UInt32(EXPLORE_DEADLOCK): self = .deadlock
        case UInt32(EXPLORE_TOO_LONG): self = .cutShort
        case UInt32(EXPLORE_TIMED_OUT): self = .hang
        case _:
            let signal = header.status & 0x7F
            self = signal == 0 ? .exited((header.status >> 8) & 0xFF) : .killed(signal)
        }
    }

    /// The word for it in an order's file and in JSON.
    var word: String {
        switch self {
        case .exited(let status): "status \(status)"
        case .killed(let signal): "signal \(signal)"
        case .deadlock: "deadlock"
        case .hang: "hang"
        case .finding(let rule): "finding \(rule)"
        case .cutShort: "cut short"
        }
    }

    var sentence: String {
        switch self {
        case .exited(let status): "it ends with status \(status)"
        case .killed(let signal): "signal \(signal) ends it"
        case .deadlock: "deadlock: nothing can run, and no timer is set"
        case .hang: "it does not end within \(OrderSettings.limit / 1000) s"
        case .finding(let rule): "the rule \(rule) finds something"
        case .cutShort:
            "an order may have \(CountText.text(OrderSettings.mostChoices)) choices, \(CountText.text(Int(EXPLORE_STRANDS))) tasks and "
                + "blocks, and take \(OrderSettings.limit / 1000) s"
        }
    }

    var isFailure: Bool { self != .exited(0) && self != .cutShort }
}

/// What happened in one order.
struct OrderOutcome {
    let ending: OrderEnding
    let hash: UInt64
    let choices: Int
    let eventsFromOutside: Int
    let saw: UInt32
    /// Whether virtual time passed while something from outside was awaited, which may have come in that time.
    var wasHasty: Bool { saw & UInt32(EXPLORE_SAW_HASTE) != 0 }

    init(_ header: explore_header) {
        ending = OrderEnding(header)
        hash = header.hash
        choices = min(Int(header.choices), Int(EXPLORE_CHOICES))
        eventsFromOutside = Int(header.foreign) + Int(header.outside) + Int(header.lost)
        saw = header.saw
    }

    /// What has no control in this order, in words.
    static func uncontrolled(_ saw: UInt32) -> [String] {
        let names: [(Int, String)] = [
            (EXPLORE_SAW_SOURCES, "Dispatch sources"), (EXPLORE_SAW_INPUT, "input"),
            (EXPLORE_SAW_PROCESSES, "processes that the program forks"), (EXPLORE_SAW_ALARMS, "alarms of the kernel"),
        ]
        return names.filter { saw & UInt32($0.0) != 0 }.map(\.1)
    }
}

/// One choice that differs from first come, first served. It is named by strands, whose numbers are the same in every order.
struct OrderDeviation: Equatable {
    let strand: UInt32
    let point: UInt32
    let next: UInt32
}
