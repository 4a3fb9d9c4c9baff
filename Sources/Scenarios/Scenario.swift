import Foundation
import Synchronization
import TaskRuntime

/// A demo: a set of tasks that does real work. It can be played any number of times.
package protocol Scenario: Sendable {
    /// The scenario's name on the command line.
    var name: String { get }
    /// One line with the scenario's subject and the screen that shows it.
    var summary: String { get }
    /// Whether it tells its first scene itself. The summary is the first scene of any other scenario.
    var tellsScenes: Bool { get }
    /// Starts the scenario and returns at once. Calls `done` once, on any thread, at its end.
    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void)
}

extension Scenario {
    package var tellsScenes: Bool { false }
}

/// A scenario that makes all its chains at once and ends with them.
protocol ChainScenario: Scenario {
    /// Makes the chains, and returns the last task of each.
    func start(on stage: Stage) -> [AnyChainTask]
}

extension ChainScenario {
    package func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Countdown.wait(for: start(on: stage), then: done)
    }
}

/// A scenario that runs on a background thread and may block for its tasks.
protocol BackgroundScenario: Scenario {
    /// Returns when the scenario has ended. Its thread belongs to no executor.
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

/// A scenario of Swift Concurrency.
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

/// Waits for a number of calls or tasks without leaving events in the trace.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let done: @Sendable () -> Void

    init(from count: Int, then done: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.done = done
    }

    func countDown() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }

    static func wait(for tasks: [AnyChainTask], then done: @escaping @Sendable () -> Void) {
        let countdown = Countdown(from: tasks.count + 1, then: done)
        for task in tasks {
            task.onEnd { countdown.countDown() }
        }
        countdown.countDown()
    }
}
