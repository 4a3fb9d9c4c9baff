import TaskEvents
import TraceTransport

/// Carries out an inspector's commands. Each answer is a sentence for the inspector's user.
extension Gatekeeper {
    /// Carries out a command on the calling thread.
    func carryOut(_ control: Control) -> ControlAnswer {
        switch control {
        case .hold(let scope):
            return naming(scope) { names in
                hold(scope)
                return .done("\(names) held: timing is not the program's own.")
            }
        case .open(let scope):
            return naming(scope) { names in
                let count = open(scope)
                return .done("\(names) open\(count == 0 ? "" : "; \(count) held \(count == 1 ? "job runs" : "jobs run")").")
            }
        case .step(let scope):
            return naming(scope) { _ in answer(step(scope), or: "No job is held there.") }
        case .stepInto(let chain):
            return answer(step(.all) { $0.chain == chain }, or: "No job of the chain \(chain.rawValue) is held.")
        case .runToFault:
            begin(.toFault)
            return .done("All executors are held. Jobs run one at a time until a task fails.")
        case .runToMainHop:
            begin(.toMainHop)
            return .done("All executors are held. Jobs run one at a time until one hops onto main.")
        case .runTo(let condition):
            run { job in
                let name = Gatekeeper.shared.identities(in: .executor(job.executor)).first?.name ?? ""
                return condition.matches(job.task, chain: job.chain, executor: name, label: AnyChainTask.listedLabel(job.task))
            }
            return .done("All executors are held. Jobs run one at a time until the next one matches.")
        case .cancel(let task):
            return end(task, "cancelled") { task, trampoline in
                task.endCancelled(.injected, by: .inspector, &trampoline)
            }
        case .fault(let task, let message):
            return end(task, "made to fail") { task, trampoline in
                task.endFaulted(with: InjectedFault(message: message), .injected, by: .inspector, &trampoline)
            }
        case .ping, .mark:
            return control.carriedOutByAnyProgram ?? .unsupported("This program cannot do that.")
        }
    }

    private func naming(_ scope: ControlScope, _ carryOut: (String) -> ControlAnswer) -> ControlAnswer {
        switch scope {
        case .all: return carryOut("All executors are")
        case .executor(let id):
            guard let identity = identities(in: scope).first else { return .failed("The program has no executor \(id.rawValue).") }
            return carryOut("\(identity.name) is")
        }
    }

    private func answer(_ job: HeldJob?, or nothing: String) -> ControlAnswer {
        guard let job else { return .failed(nothing) }
        let name = identities(in: .executor(job.executor)).first?.name ?? "its executor"
        return .done(job.task == .none ? "A closure was released to \(name)." : "\(words(for: job.task)) was released to \(name).")
    }

    /// A task's name, or its number if the name is unknown.
    private func words(for task: TaskID) -> String {
        AnyChainTask.listedLabel(task).map { "`\($0.name)`" } ?? "Task \(task.rawValue)"
    }

    /// Why a number leads to no task. Nothing remembers which tasks were made, so for a number that was given out it names all causes.
    private static func reasonForNoTask(_ id: TaskID) -> String {
        guard TaskCounter.mayHaveMade(id) else { return "There is no task \(id.rawValue)." }
        let native = TaskCounter.sharesNumbers ? ", or it is a task of Swift Concurrency" : ""
        return "Task \(id.rawValue) cannot be reached: it has ended, was released, or was made while nothing was "
            + "recorded\(native)."
    }

    private func end(_ id: TaskID, _ what: String, _ end: (AnyChainTask, inout Trampoline) -> Bool) -> ControlAnswer {
        guard TaskDirectory.isReadable else {
            return .failed("The kernel refuses membarrier(2), without which a command cannot reach a task.")
        }
        guard let task = AnyChainTask.listed(id) else {
            return .failed(Self.reasonForNoTask(id))
        }
        var hasEnded = false
        Trampoline.run { hasEnded = end(task, &$0) }
        let words = words(for: id)
        if hasEnded { return .done("\(words) was \(what).") }
        return task.isCompleted
            ? .failed("\(words) had ended before.")
            : .failed("\(words) is running: its body decides how it ends.")
    }
}

extension AnyChainTask {
    /// The task with that number, if it still exists and was made while a trace was recorded.
    static func listed(_ id: TaskID) -> AnyChainTask? {
        guard let task = TaskDirectory.shared.task(at: id) as? AnyChainTask, task.id == id else { return nil }
        return task
    }

    /// The name and call site of the task with that number.
    static func listedLabel(_ id: TaskID) -> Label? {
        listed(id).flatMap { _ in TaskDirectory.shared.label(at: id) }
    }
}

/// The error with which an inspector fails a task, to show where the error goes.
public struct InjectedFault: Error, CustomStringConvertible {
    /// The text that the inspector's user wrote.
    public let message: String

    /// The message.
    public var description: String { message }
}
