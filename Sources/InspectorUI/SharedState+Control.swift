import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// What the user asks of the inspected program. The answer says what became of it, and the trace shows it.
extension SharedState {
    /// Asks something about the selected task.
    mutating func askOfSelection(_ control: (TaskView) -> Control) -> [Effect] {
        guard let task = selection.flatMap({ history.latest.task($0) }) else {
            notice = "Select a task first: that is about one."
            return []
        }
        return [.control(control(task))]
    }

    /// Takes the program's answer, which stands where notices do until the next key.
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

    /// Jobs at the head of a queue that are looked at.
    private static let soughtInQueue = 4096

    /// Takes the processes of the program. A busier process is opened by itself as long as the user has touched nothing; later it is only named.
    mutating func take(_ processes: [ProgramProcess], isTouched: Bool) -> [Effect] {
        let known = self.processes.count
        self.processes = processes
        guard let busiest = processes.first else { return [] }
        guard let shown = processes.first(where: { $0.pid == shownProcess }) else { return [.watch(busiest)] }
        if busiest.pid != shown.pid, !isTouched, busiest.eventCount > 2 * shown.eventCount { return [.watch(busiest)] }
        if processes.count > max(1, known) {
            notice = "\(processes.count) processes tell of tasks; : and “process” picks one. This is \(shown.pid), \(shown.name.printable)."
        }
        return []
    }
}
