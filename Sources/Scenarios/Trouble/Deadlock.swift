import Dispatch
import Foundation
import TaskEvents
import TaskRuntime

/// Everything that waits for itself: two transfers that hold a queue each and block for the other's, a continuation that returns itself, two
/// that return each other; and a source that nobody will set any more. Before it the twin, a transfer that blocks nobody.
///
/// It says that it is over and leaves what hangs as it is, so that it can be looked at; the threads end with the process.
struct Deadlock: BackgroundScenario {
    let name = "deadlock"
    let summary =
        "trouble: queues, tasks and a source that wait for ever; see in Warnings who waits for whom, and in Executors what holds the queues"

    func run(on stage: Stage) {
        let bank = Bank(stage)
        bank.transferWithoutBlocking().wait()
        let receipt = TaskCompletionSource<Void>(name: "receipt")
        receipt.task.continueOnSuccessWith(on: .main, name: "print the receipt") { stage.say("This is never printed.") }
        bank.transferBothWays(receipt)
        stage.dawdle(.milliseconds(100))
        returnItself()
        stage.dawdle(.milliseconds(100))
        returnEachOther()
        tick(stage)
        stage.say("Nothing else moves any more.")
    }

    /// What has nothing to do with all that goes on.
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

/// A task that a body returns which is made before it.
private final class Knot: Sendable {
    private let tied = Guarded<ChainTask<Void>?>(nil)

    /// It is asked for by bodies that begin after it has been tied.
    var task: ChainTask<Void> { tied.withLock { $0! } }

    func tie(_ task: ChainTask<Void>) {
        tied.withLock { $0 = task }
    }
}

/// Two accounts, each with a queue that alone may touch it.
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

    /// What comes after the debit continues it.
    func transferWithoutBlocking() -> ChainTask<Void> {
        ChainTask(on: savings.executor, name: "debit savings") { [self] in move(-10, savings) }
            .continueOnSuccessWith(on: current.executor, name: "credit current") { [self] in move(10, current) }
    }

    /// Each debits one account and, still on its queue, waits for the credit of the other; `receipt` would be set after both. Returns when
    /// nothing of it can go on.
    func transferBothWays(_ receipt: TaskCompletionSource<Void>) {
        let bothHold = DispatchGroup()
        let bothWait = DispatchGroup()
        let transfers = [(savings, current), (current, savings)].map { from, to in
            bothHold.enter()
            bothWait.enter()
            return ChainTask(on: from.executor, name: "transfer from \(from.name)") { [self] in
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
