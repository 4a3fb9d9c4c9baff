import Foundation
import Scenarios
import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// A scenario that is being played and recorded. It is made on the main thread, which then serves the main queue.
final class ScenarioRun: Sendable {
    let program: String
    let bus: EventBus
    let collector: TraceCollector
    private let isDone = Guarded(false)
    private let recorder: TraceRecorder?
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Begins to record, into a file as well if one is named. With `HOPSCOPE` in the environment it is published under the program's name.
    init(program: String, recordingTo path: String?) throws(TraceProblem) {
        self.program = program
        ProcessTrace.name(program)
        bus = try ProcessTrace.shared.join()
        do throws(TraceProblem) {
            recorder = try Self.recorder(of: bus, to: path)
        } catch {
            ProcessTrace.shared.leave()
            throw error
        }
        collector = TraceCollector(source: bus)
        collector.start()
    }

    private static func recorder(of bus: EventBus, to path: String?) throws(TraceProblem) -> TraceRecorder? {
        guard let path else { return nil }
        return TraceRecorder(source: bus, sink: try TraceFileWriter(path: path, header: TraceFileHeader(of: bus)))
    }

    /// Sets the scenario going.
    func play(_ scenario: any Scenario, on stage: Stage) {
        // From a thread of no executor, as a program's own first call would come.
        Thread.detachNewThread { [self] in
            scenario.play(on: stage) { [self] in
                // What hangs makes no events: this one says for how long it has.
                Emit.mark("the scenario is over")
                isDone.withLock { $0 = true }
                wakeUp.signal()
            }
        }
    }

    /// Whether the scenario says that it is over.
    var hasEnded: Bool { isDone.withLock { $0 } }

    /// Folds what happens until the scenario has ended and the last of its jobs has come back, and has the rules follow it.
    func follow(into store: TraceStore, _ warnings: WarningEngine) throws {
        var patience = Self.patience
        while patience > 0 {
            _ = wakeUp.wait(timeout: .now() + .milliseconds(Self.stepMilliseconds))
            for batch in collector.take() {
                store.apply(batch)
                warnings.follow(store)
            }
            guard hasEnded else { continue }
            if store.isAtRest { break }
            patience -= 1
        }
        try finish(into: store)
    }

    /// Stops recording and folds the rest.
    func finish(into store: TraceStore) throws {
        stop()
        for batch in collector.take() { store.apply(batch) }
        defer { ProcessTrace.shared.leave() }
        try recorder?.stop()
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
