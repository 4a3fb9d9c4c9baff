import InspectorTestKit
import TaskEvents
import TraceAnalysis
import TraceStore

/// What the rules say of a trace.
struct Warned {
    let store: TraceStore
    let list: WarningList

    /// Of the whole trace at once; of one that goes on, at the time of its latest event.
    init(_ trace: TraceBuilder, isOver: Bool = true, _ settings: WarningSettings = WarningSettings()) {
        store = trace.store()
        list = WarningEngine(settings: settings).list(in: store, now: trace.now, isOver: isOver)
    }

    /// The findings of one rule.
    func findings(_ rule: String) -> [Finding] {
        list.findings.filter { $0.rule == rule }
    }

    /// All rules that say something, once each.
    var rules: [String] {
        var rules: [String] = []
        for group in list.groups where !rules.contains(group.rule) { rules.append(group.rule) }
        return rules
    }

    var messages: [String] {
        list.findings.map { list.message(of: $0, in: store) }
    }

    /// The events that a rule's first finding points at, as `faulted 3`.
    func evidence(_ rule: String) -> [String] {
        findings(rule).first?.evidence.map { "\($0.kind) \($0.task.rawValue)" } ?? []
    }

    /// The events among the evidence that the trace does not have.
    func unproven(_ trace: TraceBuilder) -> [Evidence] {
        list.findings.flatMap(\.evidence).filter { evidence in
            !trace.events.contains {
                $0.kind == evidence.kind && $0.task == evidence.task && (evidence.at == nil || evidence.at == $0.time)
            }
        }
    }
}

extension WarningSettings {
    /// These and no others.
    static func threshold(_ rule: String, _ value: UInt64) -> WarningSettings {
        var settings = WarningSettings()
        settings.thresholds[rule] = value
        return settings
    }
}
