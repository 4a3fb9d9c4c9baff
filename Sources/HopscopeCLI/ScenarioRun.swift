import Foundation
import Scenarios
import TaskEvents
import TraceStore

/// A scenario that is being played and recorded. It is made on the main thread, which then serves the main queue.
final class ScenarioRun: Sendable {
    let program: String
    let bus: EventBus
    let collector: TraceCollector
    private let isDone = Guarded(false)
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Begins to record.
    init(program: String) throws {
        self.program = program
        do {
            bus = try EventBus(EventBus.Options(program: program))
        } catch {
            throw UserError(sentence: error.description, status: .cannotStart)
        }
        collector = TraceCollector(source: bus)
        bus.start()
        collector.start()
    }

    /// Sets the scenario going.
    func play(_ scenario: any Scenario, on stage: Stage) {
        // From a thread of no executor, as a program's own first call would come.
        Thread.detachNewThread { [self] in
            scenario.play(on: stage) { [self] in
                isDone.withLock { $0 = true }
                wakeUp.signal()
            }
        }
    }

    /// Whether the scenario says that it is over.
    var hasEnded: Bool { isDone.withLock { $0 } }

    /// Folds what happens until the scenario has ended and the last of its jobs has come back.
    func follow(into store: TraceStore) {
        var patience = Self.patience
        while patience > 0 {
            _ = wakeUp.wait(timeout: .now() + .milliseconds(Self.stepMilliseconds))
            for batch in collector.take() { store.apply(batch) }
            guard hasEnded else { continue }
            if store.isAtRest { break }
            patience -= 1
        }
        finish(into: store)
    }

    /// Stops recording and folds the rest.
    func finish(into store: TraceStore) {
        stop()
        for batch in collector.take() { store.apply(batch) }
    }

    /// Stops recording; what was recorded is there to be taken.
    func stop() {
        bus.stop()
        collector.finish()
    }

    private static let stepMilliseconds = 20
    /// How many steps a scenario that has ended is waited for: what it left running on purpose will not end.
    private static let patience = 50
}

extension TraceStore {
    /// Whether nothing runs, and nothing waits for its turn.
    fileprivate var isAtRest: Bool {
        let isEnded = TaskState.allCases.allSatisfy { $0.hasEnded || count(of: $0) == 0 }
        return isEnded && executors.allSatisfy { $0.running.isEmpty }
    }
}
