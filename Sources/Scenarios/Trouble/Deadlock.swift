import Dispatch
import Foundation
import TaskEvents
import TaskRuntime

/// Deadlocks: two transfers that each hold a queue and block for the other's, a continuation that returns itself, two that return each
/// other, and a source that is never set. Before them, for comparison, a transfer that blocks no thread.
///
/// The scenario ends while its tasks still hang, so that they can be inspected. Their threads end with the process.
struct Deadlock: BackgroundScenario {
    let name = "deadlock"
    let summary =
        "trouble: deadlocks of queues and tasks, and a source never set; 7 Warnings shows each cycle, 3 Executors the jobs that block, w the ring"

    var tellsScenes: Bool { true }

    func run(on stage: Stage) {
        let bank = Bank(stage)
        stage.scene("Scene 1 of 4: a transfer that blocks no thread, and ends; 2 Graph shows its chain")
        bank.transferWithoutBlocking().wait()
        stage.scene("Scene 2 of 4: two transfers that block for each other's queue; 3 Executors shows the blocked threads, w the ring")
        let receipt = TaskCompletionSource<Void>(name: "receipt")
        receipt.task.continueOnSuccessWith(on: .main, name: "print the receipt") { stage.say("This is never printed.") }
        bank.transferBothWays(receipt)
        stage.dawdle(.milliseconds(100))
        stage.scene("Scene 3 of 4: a task that waits for itself, and two that wait for each other; 7 Warnings names each cycle")
        returnItself()
        stage.dawdle(.milliseconds(100))
        returnEachOther()
        stage.scene(
            "Scene 4 of 4: only main's ticks go on, and nothing is left to complete `receipt`; 0 Overview lists what hangs, w says why")
        tick(stage)
        stage.say("Nothing else moves any more.")
    }

    /// Tasks that are not involved in a deadlock.
    private func tick(_ stage: Stage) {
        for number in 1...12 {
            ChainTask(on: .main, name: "tick \(number)") {}.wait()
            stage.dawdle(.milliseconds(250))
        }
    }

    private func returnItself() {
        let beginning = TaskCompletionSource<Void>(name: "begin")
        let knot = Knot()
        knot.tie(beginning.task.continueWithTask(name: "returns itself") { _ in knot.task })
        beginning.set(())
    }

    private func returnEachOther() {
        let beginning = TaskCompletionSource<Void>(name: "begin both")
        let (one, other) = (Knot(), Knot())
        one.tie(beginning.task.continueWithTask(name: "returns the other") { _ in other.task })
        other.tie(beginning.task.continueWithTask(name: "returns the one") { _ in one.task })
        beginning.set(())
    }
}

/// Holds a task for a body that is created before the task.
private final class Knot: Sendable {
    private let tied = Guarded<ChainTask<Void>?>(nil)

    /// Only bodies that start after `tie` read this.
    var task: ChainTask<Void> { tied.withLock { $0! } }

    func tie(_ task: ChainTask<Void>) {
        tied.withLock { $0 = task }
    }
}

/// Two accounts, each protected by a queue.
private final class Bank: Sendable {
    private struct Account: Sendable {
        let name: String
        let executor: ChainExecutor

        init(_ name: String) {
            self.name = name
            executor = .queue(DispatchQueue(label: name))
        }
    }

    private let stage: Stage
    private let savings = Account("savings")
    private let current = Account("current")
    private let balance = Guarded(["savings": 100, "current": 100])

    init(_ stage: Stage) {
        self.stage = stage
    }

    /// The credit is a continuation of the debit.
    func transferWithoutBlocking() -> ChainTask<Void> {
        ChainTask(on: savings.executor, name: "debit savings") { [self] in move(-10, savings) }
            .continueOnSuccessWith(on: current.executor, name: "credit current") { [self] in move(10, current) }
    }

    /// Each transfer debits one account and, still on its queue, waits for the credit of the other. `receipt` would be set after both.
    /// Returns when both are deadlocked.
    func transferBothWays(_ receipt: TaskCompletionSource<Void>) {
        let bothHold = DispatchGroup()
        let bothWait = DispatchGroup()
        let ways = [(savings, current), (current, savings)]
        // Before any transfer begins: the first one would else find the group empty, and not wait for the second.
        for _ in ways {
            bothHold.enter()
            bothWait.enter()
        }
        let transfers = ways.map { from, to in
            ChainTask(on: from.executor, name: "transfer from \(from.name)") { [self] in
                move(-10, from)
                bothHold.leave()
                bothHold.wait()
                let credit = ChainTask(on: to.executor, name: "credit \(to.name), never") { [self] in move(10, to) }
                bothWait.leave()
                credit.wait()
            }
        }
        ChainTask.whenAll(transfers, name: "both transfers").continueOnSuccessWith(name: "set the receipt") { receipt.set(()) }
        bothWait.wait()
    }

    private func move(_ amount: Int, _ account: Account) {
        stage.dawdle(.milliseconds(200))
        balance.withLock { $0[account.name, default: 0] += amount }
    }
}
