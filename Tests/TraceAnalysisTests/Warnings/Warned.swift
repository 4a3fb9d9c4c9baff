import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The findings of all rules on a trace.
struct Warned {
    let store: TraceStore
    let list: WarningList

    /// The whole trace at once; a live trace is read at the time of its latest event.
    init(_ trace: TraceBuilder, isOver: Bool = true, _ settings: WarningSettings = .ofTests) {
        store = trace.store()
        list = WarningEngine(settings: settings).list(in: store, now: trace.now, isOver: isOver)
    }

    /// The findings of one rule.
    func findings(_ rule: String) -> [Finding] {
        list.findings.filter { $0.rule == rule }
    }

    /// All rules with findings, once each.
    var rules: [String] {
        var rules: [String] = []
        for group in list.groups where !rules.contains(group.rule) { rules.append(group.rule) }
        return rules
    }

    var messages: [String] {
        list.findings.map { list.message(of: $0, in: store) }
    }

    /// The events that prove a rule's first finding, as `faulted 3`.
    func evidence(_ rule: String) -> [String] {
        findings(rule).first?.evidence.map { "\($0.kind) \($0.task.rawValue)" } ?? []
    }

    /// The events of the evidence that the trace does not have.
    func unproven(_ trace: TraceBuilder) -> [Evidence] {
        list.findings.flatMap(\.evidence).filter { evidence in
            !trace.events.contains {
                $0.kind == evidence.kind && $0.task == evidence.task && (evidence.at == nil || evidence.at == $0.time)
            }
        }
    }
}

extension WarningSettings {
    /// Every actor does its work once.
    static let ofTests: WarningSettings = {
        var settings = WarningSettings()
        settings.onceNames = [NamePattern("*")]
        return settings
    }()

    /// Expects findings of these rules and no others.
    static func threshold(_ rule: String, _ value: UInt64) -> WarningSettings {
        var settings = ofTests
        settings.thresholds[rule] = value
        return settings
    }
}
