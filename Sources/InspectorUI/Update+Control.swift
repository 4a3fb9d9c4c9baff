import TaskEvents
import TraceStore

/// What the user asks of the inspected program. What becomes of it, the answer says and the trace shows.
extension Model {
    mutating func perform(_ command: ControlCommand) -> [Effect] {
        switch command {
        case .hold: return [.control(isHolding ? .open(.all) : .hold(.all))]
        case .step: return [.control(.step(.all))]
        case .runToFault: return [.control(.runToFault)]
        case .runToMainHop: return [.control(.runToMainHop)]
        case .stepInto, .cancel, .fault: return performOnSelection(command)
        }
    }

    private mutating func performOnSelection(_ command: ControlCommand) -> [Effect] {
        guard let selection, let task = timeline.latest.task(selection) else {
            notice = "Select a task first: that is about one."
            return []
        }
        switch command {
        case .stepInto: return [.control(.stepInto(chain: task.chain))]
        case .cancel: return [.control(.cancel(task.id))]
        case .fault: return [.control(.fault(task.id, message: "injected from the inspector"))]
        case .hold, .step, .runToFault, .runToMainHop: return []
        }
    }

    /// The program's answer, which stands where notices do until the next key.
    mutating func take(_ answer: ControlAnswer, to control: Control) {
        notice = answer.sentence
        guard answer.isDone else { return }
        switch control {
        case .hold, .runToFault, .runToMainHop: isHolding = true
        case .open(.all): isHolding = false
        case .open(.executor), .step, .stepInto, .cancel, .fault, .ping, .mark: break
        }
    }
}
