import Dispatch
import Foundation
import TaskEvents
import TaskRuntime

/// Makes `--tasks` tasks in short chains over three executors, some of which fail, and counts their outcomes itself.
struct Load: Scenario {
    let name = "load"
    let summary = "--tasks N tasks in short chains, some of which fail; the header counts as many tasks as 8 Output says"

    /// The number of tasks that may be on their way, at least a chain's four. A chain begins when earlier tasks have ended, so that memory
    /// does not grow with `--tasks`.
    var tasksAtOnce = 100_000

    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        LoadRun(stage, tasksAtOnce: tasksAtOnce, whenDone: done).start()
    }
}

struct LoadError: Error {
    let chain: Int
}

/// Makes the tasks on a thread of its own, in bursts, over about five seconds at speed 1.
private final class LoadRun: Sendable {
    private struct Ledger {
        var succeeded = 0
        var faulted = 0
        var cancelled = 0

        mutating func count(_ task: AnyChainTask) {
            if task.isFaulted {
                faulted += 1
            } else if task.isCancelled {
                cancelled += 1
            } else {
                succeeded += 1
            }
        }
    }

    private static let bursts = 500
    private static let chainsPerFailure = 50

    private let stage: Stage
    private let work = ChainExecutor.pool(name: "work", width: 2)
    private let ledger = Guarded(Ledger())
    private let done: @Sendable () -> Void
    /// Counts the tasks that may be made.
    private let room: DispatchSemaphore

    init(_ stage: Stage, tasksAtOnce: Int, whenDone done: @escaping @Sendable () -> Void) {
        self.stage = stage
        room = DispatchSemaphore(value: tasksAtOnce)
        self.done = done
    }

    func start() {
        Thread.detachNewThread { self.makeTasks() }
    }

    private func makeTasks() {
        let countdown = Countdown(from: stage.tasks + 1) { [self] in
            let ledger = ledger.withLock { $0 }
            stage.say(
                "load made \(stage.tasks) tasks: \(ledger.succeeded) succeeded, \(ledger.faulted) faulted, \(ledger.cancelled) cancelled.")
            done()
        }
        let burst = max(1, stage.tasks / Self.bursts)
        var made = 0
        var chain = 0
        var sinceBurst = 0
        while made < stage.tasks {
            let length = min(4, stage.tasks - made)
            for _ in 0..<length { room.wait() }
            for task in makeChain(number: chain, length: length) {
                stage.note?(.made)
                task.onEnd { [self] in
                    stage.note?(.ended)
                    room.signal()
                    ledger.withLock { $0.count(task) }
                    countdown.countDown()
                }
                made += 1
                sinceBurst += 1
            }
            chain += 1
            if sinceBurst >= burst {
                sinceBurst = 0
                stage.dawdle(.milliseconds(10))
            }
        }
        countdown.countDown()
    }

    /// A root and up to three continuations: on the pool, inline, and on main, which reads an error.
    private func makeChain(number: Int, length: Int) -> [AnyChainTask] {
        let fetch = ChainTask(on: work, name: "fetch") {
            if number % Self.chainsPerFailure == Self.chainsPerFailure - 1 { throw LoadError(chain: number) }
            return (0..<200).reduce(number) { $0 &* 31 &+ $1 }
        }
        if length == 1 { return [fetch] }
        let parse = fetch.continueOnSuccessWith(on: work, name: "parse") { $0 & 0xFFFF }
        if length == 2 { return [fetch, parse] }
        let render = parse.continueOnSuccessWith(name: "render") { $0 + 1 }
        if length == 3 { return [fetch, parse, render] }
        let show = render.continueWith(on: .main, name: "show") { $0.error == nil ? $0.result ?? 0 : 0 }
        return [fetch, parse, render, show]
    }
}
