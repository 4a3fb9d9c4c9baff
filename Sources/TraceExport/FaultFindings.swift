import TaskEvents
import TraceAnalysis
import TraceStore

/// What the faults of a trace alone tell a check.
package struct FaultFindings {
    /// The rules that it knows.
    package static let rules: [CheckRule] = [.unobservedFault, .swallowedError]

    private let store: TraceStore
    private let words: TaskWords

    package init(_ store: TraceStore) {
        self.store = store
        words = TaskWords(store)
    }

    /// A finding for each fault whose verdict is `unobserved` or `swallowed`, in the order of the report. Each is made when its turn comes.
    package func findings() -> some Sequence<CheckFinding> {
        FaultAnalysis(store).faults().lazy.compactMap(finding)
    }

    private func finding(_ fault: FaultPath) -> CheckFinding? {
        let error = ErrorText.text(store.entries.error(fault.error))
        switch fault.verdict {
        case .unobserved:
            let message = "Nobody read \(error)."
            return CheckFinding(
                rule: .unobservedFault, severity: .error, task: fault.origin, message: message, evidence: evidence(for: fault))
        case .swallowed:
            let message = "\(error) was swallowed: what ran on it did not read it."
            return CheckFinding(
                rule: .swallowedError, severity: .warning, task: fault.origin, message: message, evidence: evidence(for: fault))
        case .recovered, .read, .pending: return nil
        }
    }

    private func evidence(for fault: FaultPath) -> [CheckFinding.Evidence] {
        fault.steps.compactMap { step in
            guard let task = store.task(step.task), let role = words.role(step.role, of: task) else { return nil }
            return CheckFinding.Evidence(task: step.task, text: role)
        }
    }
}
