import Foundation
import Scenarios
import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// A scenario that plays and is recorded in this process. Create it on the main thread, which then serves the main queue.
final class ScenarioRun: Sendable {
    let program: String
    let bus: EventBus
    let collector: TraceCollector
    private let isDone = Guarded(false)
    private let recorder: TraceRecorder?
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Starts recording, also into a file if `path` is given. With `HOPSCOPE` in the environment, the process publishes its trace under the
    /// program's name.
    init(program: String, recordingTo path: String?) throws(TraceProblem) {
        self.program = program
        ProcessTrace.name(program)
        bus = try ProcessTrace.shared.join()
        collector = TraceCollector(source: bus)
        do throws(TraceProblem) {
            recorder = try Self.recorder(of: bus, to: path)
            try collector.start()
        } catch {
            ProcessTrace.shared.leave()
            throw error
        }
    }

    private static func recorder(of bus: EventBus, to path: String?) throws(TraceProblem) -> TraceRecorder? {
        guard let path else { return nil }
        return try TraceRecorder(source: bus, sink: TraceFileWriter(path: path, header: TraceFileHeader(of: bus)))
    }

    /// Starts the scenario on a new thread.
    func play(_ scenario: any Scenario, on stage: Stage) {
        // A thread that belongs to no executor, as for the first call of a real program.
        Thread.detachNewThread { [self] in
            scenario.play(on: stage) { [self] in
                // A hung task emits no events. This mark's time shows how long the task has hung.
                Emit.mark("the scenario is over")
                isDone.withLock { $0 = true }
                wakeUp.signal()
            }
        }
    }

    /// Whether the scenario has reported its end.
    var hasEnded: Bool { isDone.withLock { $0 } }

    /// Folds events into the store and applies the rules, until the scenario has ended and its last job has returned.
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

    /// Stops recording and folds the remaining events.
    func finish(into store: TraceStore) throws {
        stop()
        for batch in collector.take() { store.apply(batch) }
        defer { ProcessTrace.shared.leave() }
        try recorder?.stop(sawExit: hasEnded)
    }

    /// Stops recording. The collector still holds the events that it has not handed out.
    func stop() {
        bus.stop()
        collector.finish()
    }

    private static let stepMilliseconds = 20
    /// The number of steps to wait after a scenario's end. Some scenarios leave tasks running on purpose.
    private static let patience = 50
}

extension TraceStore {
    /// Whether no task is unfinished and no executor runs a job.
    fileprivate var isAtRest: Bool {
        let isEnded = TaskState.allCases.allSatisfy { $0.hasEnded || count(of: $0) == 0 }
        return isEnded && executors.allSatisfy { $0.running.isEmpty }
    }
}
