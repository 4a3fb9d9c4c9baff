import TaskEvents

/// The commands of an inspector, whichever way they come, with a sentence for its user.
extension Gatekeeper {
    /// Carries a command out, on the calling thread.
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
                return .done("\(names) open\(count == 0 ? "" : "; \(count) held \(count == 1 ? "job goes" : "jobs go") on").")
            }
        case .step(let scope):
            return naming(scope) { _ in answer(step(scope), or: "No job is held there.") }
        case .stepInto(let chain):
            return answer(step(.all) { $0.chain == chain }, or: "No job of the chain \(chain.rawValue) is held.")
        case .runToFault:
            begin(.toFault)
            return .done("All executors are held; one job after another goes on until a task fails.")
        case .runToMainHop:
            begin(.toMainHop)
            return .done("All executors are held; one job after another goes on until one hops onto main.")
        case .cancel(let task):
            return end(task, "cancelled") { task, trampoline in
                task.endCancelled(.injected, by: .inspector, &trampoline)
            }
        case .fault(let task, let message):
            return end(task, "made to fail") { task, trampoline in
                task.endFaulted(with: InjectedFault(message: message), .injected, by: .inspector, &trampoline)
            }
        case .ping, .mark:
            return control.carriedOutByAnyProgram ?? .unsupported("There is nobody for that.")
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
        return .done(job.task == .none ? "A closure goes on to \(name)." : "Task \(job.task.rawValue) goes on to \(name).")
    }

    private func end(_ id: TaskID, _ what: String, _ end: (AnyChainTask, inout Trampoline) -> Bool) -> ControlAnswer {
        guard let task = TaskDirectory.shared.task(id) else {
            return .failed("There is no task \(id.rawValue): it is gone, or was made while nothing was recorded.")
        }
        var hasEnded = false
        Trampoline.run { hasEnded = end(task, &$0) }
        if hasEnded { return .done("Task \(id.rawValue) was \(what).") }
        return task.isCompleted
            ? .failed("Task \(id.rawValue) had ended before.")
            : .failed("The body of task \(id.rawValue) is running, and decides what the task comes to.")
    }
}

/// What a task fails with that somebody made fail from an inspector, to see where the error goes.
public struct InjectedFault: Error, CustomStringConvertible {
    /// What the somebody wrote.
    public let message: String

    public var description: String { message }
}
