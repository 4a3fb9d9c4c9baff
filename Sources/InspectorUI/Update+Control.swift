import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// What the user asks of the inspected program. What becomes of it, the answer says and the trace shows.
extension Model {
    mutating func perform(_ command: ControlCommand) -> [Effect] {
        switch command {
        case .hold: return [.control(isHolding ? .open(.all) : .hold(.all))]
        case .holdExecutor: return holdSelectedExecutor()
        case .step: return [.control(.step(.all))]
        case .runToFault: return [.control(.runToFault)]
        case .runToMainHop: return [.control(.runToMainHop)]
        case .askForJob:
            palette = PaletteState(text: PaletteList.runTo)
            return []
        case .runTo(let condition): return [.control(.runTo(condition))]
        case .stepInto, .cancel, .fault: return performOnSelection(command)
        }
    }

    private mutating func holdSelectedExecutor() -> [Effect] {
        guard let id = executors.selection?.executor else {
            notice = "Select an executor first: that is about one."
            return []
        }
        let isHeld = heldScopes.contains(.executor(id)) || history.latest.executor(id).map { $0.heldCount > 0 } ?? false
        return [.control(isHeld ? .open(.executor(id)) : .hold(.executor(id)))]
    }

    private mutating func performOnSelection(_ command: ControlCommand) -> [Effect] {
        guard let selection, let task = history.latest.task(selection) else {
            notice = "Select a task first: that is about one."
            return []
        }
        switch command {
        case .stepInto: return [.control(.stepInto(chain: task.chain))]
        case .cancel: return [.control(.cancel(task.id))]
        case .fault: return [.control(.fault(task.id, message: "injected from the inspector"))]
        case .hold, .holdExecutor, .step, .runToFault, .runToMainHop, .askForJob, .runTo: return []
        }
    }

    /// The program's answer, which stands where notices do until the next key.
    mutating func take(_ answer: ControlAnswer, to control: Control) {
        notice = answer.sentence
        guard answer.isDone else { return }
        switch control {
        case .hold(let scope): heldScopes.insert(scope)
        case .runToFault, .runToMainHop: heldScopes.insert(.all)
        case .runTo(let condition):
            heldScopes.insert(.all)
            soughtJob = condition
        case .open(.all): heldScopes = []
        case .open(let scope): heldScopes.remove(scope)
        case .step, .stepInto, .cancel, .fault, .ping, .mark: break
        }
    }

    /// Selects the job that a run was to stop at, as soon as a gate holds it.
    mutating func lookForSoughtJob() {
        guard let soughtJob, history.isAtLatest else { return }
        for executor in store.executors where executor.heldCount > 0 {
            for job in executor.queue.prefix(Self.soughtInQueue) {
                guard let task = store.task(job.task), task.isHeld,
                    soughtJob.fits(task.id, chain: task.chain, executor: executor.name, label: task.label)
                else { continue }
                self.soughtJob = nil
                follow(task.id)
                notice = "`\(TaskWords(store).name(of: task))` is held: it fits what was looked for."
                return
            }
        }
    }

    /// Jobs of a queue that are looked at.
    private static let soughtInQueue = 4096

    /// Whether the program's gates hold jobs: by what was asked of it here, or because jobs wait there that somebody else has held.
    var isHolding: Bool {
        !hasEnded && (!heldScopes.isEmpty || history.latest.heldCount > 0)
    }
}
