import Foundation
import TaskRuntime

/// Something to watch: a program's worth of chains that does real work and can be played again.
package protocol Scenario: Sendable {
    /// As the command spells it.
    var name: String { get }
    /// What it shows, and where to look for it, in a line.
    var summary: String { get }
    /// Sets it going and returns at once; `done` is called once, on any thread, when it has ended.
    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void)
}

/// A scenario that makes its chains at once and has ended when they have.
protocol ChainScenario: Scenario {
    /// Makes the chains; hands back the last task of each.
    func start(on stage: Stage) -> [AnyChainTask]
}

extension ChainScenario {
    package func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Countdown.wait(for: start(on: stage), then: done)
    }
}

/// A scenario that is code of a background thread, which may wait for its tasks.
protocol BackgroundScenario: Scenario {
    /// Returns when the scenario has ended. It is called on a thread of no executor.
    func run(on stage: Stage)
}

extension BackgroundScenario {
    package func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            run(on: stage)
            done()
        }
    }
}

/// A scenario of Swift's own concurrency.
protocol AsyncScenario: Scenario {
    /// Returns when the scenario has ended.
    func run(on stage: Stage) async
}

extension AsyncScenario {
    package func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Task {
            await run(on: stage)
            done()
        }
    }
}
