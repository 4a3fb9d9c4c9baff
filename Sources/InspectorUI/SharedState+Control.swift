import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// The user's commands to the inspected program. The answer reports the immediate result, and the trace shows the effect.
extension SharedState {
    /// Sends a command about the marked row's task.
    mutating func askOfSelection(_ control: (TaskView) -> Control) -> [Effect] {
        guard let task = subject.flatMap({ history.latest.task($0) }) else {
            notice = "Select a task first: this key needs one."
            return []
        }
        return [.control(control(task))]
    }

    /// Sends a command that ends the marked row's task. One that has ended needs none.
    mutating func endSelection(_ control: (TaskView) -> Control) -> [Effect] {
        guard let task = subject.flatMap({ history.latest.task($0) }), task.state.hasEnded else { return askOfSelection(control) }
        notice = "`\(TaskWords(history.latest).name(of: task))` has ended: it can neither be cancelled nor fail."
        return []
    }

    /// Shows the program's answer as a notice until the next key.
    mutating func take(_ answer: ControlAnswer, to control: Control) {
        notice = answer.sentence
        if answer.isDone { self.control.carriedOut(control) }
    }

    /// Selects the job at which a run was to stop, as soon as a gate holds the job.
    mutating func lookForSoughtJob() {
        guard let soughtJob = control.soughtJob, history.isAtLatest, store.heldCount > 0 else { return }
        for executor in store.executors where executor.heldCount > 0 {
            for job in executor.queue.prefix(Self.soughtInQueue) {
                guard let task = store.task(job.task), task.isHeld,
                    soughtJob.matches(task.id, chain: task.chain, executor: executor.name, label: task.label)
                else { continue }
                control.soughtJob = nil
                follow(task.id)
                notice = "`\(TaskWords(store).name(of: task))` is held: it matches the query."
                return
            }
        }
    }

    /// The number of jobs examined at the head of a queue.
    private static let soughtInQueue = 4096

    /// Takes the list of the program's processes. Until the user's first input, switches to a busier process; later, a notice names it.
    /// Busier means more than twice the events, so that two that go on do not take turns. One that has ended gives way to any that goes on,
    /// which may hang, and to an ended one with more events.
    mutating func take(_ processes: [ProgramProcess], isTouched: Bool) -> [Effect] {
        let known = program.processes.count
        program.processes = processes
        guard let busiest = processes.first(where: { !$0.hasEnded }) ?? processes.first else { return [] }
        guard let shown = processes.first(where: { $0.pid == program.shownProcess }) else { return [.show(busiest)] }
        let hasEnded = shown.hasEnded || program.hasEnded
        // Counts may be anything if a program's shared memory is damaged.
        let more = busiest.eventCount > shown.eventCount ? busiest.eventCount - shown.eventCount : 0
        let isBusier = more > (hasEnded ? 0 : shown.eventCount) || shown.hasEnded && !busiest.hasEnded
        if busiest.pid != shown.pid, !isTouched, isBusier { return [.show(busiest)] }
        if processes.count > max(1, known) {
            notice = "\(processes.count) processes have tasks. A shows the next one. This is \(shown.pid), \(shown.name.printable)."
        }
        return []
    }

    /// Shows the program's next process, in the order of their numbers.
    mutating func showNextProcess() -> [Effect] {
        let ordered = program.processes.sorted { $0.pid < $1.pid }
        guard ordered.count > 1, let shown = ordered.firstIndex(where: { $0.pid == program.shownProcess }) else {
            notice = "There is no other process: the program has one that has tasks."
            return []
        }
        return [.show(ordered[(shown + 1) % ordered.count])]
    }
}
