import TaskEvents
import Testing
import TraceStore
import TraceTestKit

/// The fold, compared with a generator that knows the true state.
@Suite struct RandomTraceTests {
    @Test(arguments: 1...12)
    func theFoldFindsTheGeneratorsState(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 400, isComplete: seed % 2 == 0)
        expect(trace.trace.store(), isTrueOf: trace, inOrder: true)
    }

    @Test(arguments: 1...12)
    func anyInterleavingOfTheLanesGivesTheSameState(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 200, isComplete: seed % 2 == 0)
        for order in 0..<4 as Range<UInt64> {
            let store = TraceStore()
            store.entries = trace.trace.entries
            store.apply(trace.interleaved(seed: order))
            expect(store, isTrueOf: trace, inOrder: false)
        }
    }

    private func expect(_ store: TraceStore, isTrueOf trace: RandomTrace, inOrder: Bool) {
        #expect(store.taskCount == trace.truth.count)
        #expect(store.synthesisedCount == 0)
        for (id, truth) in trace.truth {
            guard let task = store.task(id) else {
                Issue.record("task \(id.rawValue) is missing")
                continue
            }
            let (found, expected) = (found(task, inOrder: inOrder), expected(truth, inOrder: inOrder))
            #expect(found == expected, "task \(id.rawValue)")
        }
        for state in TaskState.allCases {
            let count = trace.truth.values.count { live($0) == state }
            #expect(store.count(of: state) == count, "\(state)")
        }
        for executor in trace.executors {
            let view = store.executor(executor)
            let asked = trace.truth.values.filter { $0.executor == executor }
            let running = trace.truth.filter { $0.value.executor == executor && live($0.value) == .running }
            #expect(view?.jobs ?? 0 == asked.count { $0.started != nil })
            #expect(view?.depth ?? 0 == asked.count { live($0) == .queued })
            let queue = trace.truth.filter { $0.value.executor == executor && live($0.value) == .queued }
            #expect(view.map { Array($0.queue.map(\.task)) } ?? [] == queue.sorted { $0.value.queued! < $1.value.queued! }.map(\.key))
            #expect(view?.waits.count ?? 0 == asked.count { $0.started != nil })
            #expect(Set(view?.running.map(\.task) ?? []) == Set(running.map(\.key)))
        }
    }

    private func live(_ truth: RandomTrace.Truth) -> TaskState {
        if truth.state != .pending { return truth.state }
        return truth.started != nil ? .running : truth.queued != nil ? .queued : .pending
    }

    private func expected(_ truth: RandomTrace.Truth, inOrder: Bool) -> RandomTrace.Truth {
        var truth = truth
        truth.state = live(truth)
        if !truth.state.hasEnded {
            truth.busy = 0
            truth.suspended = 0
        }
        if !inOrder { truth.successors.sort() }
        if !inOrder { truth.readers.sort() }
        return truth
    }

    private func found(_ task: TaskView, inOrder: Bool) -> RandomTrace.Truth {
        var found = RandomTrace.Truth(task)
        if !task.state.hasEnded {
            found.busy = 0
            found.suspended = 0
        }
        if !inOrder { found.successors.sort() }
        if !inOrder { found.readers.sort() }
        return found
    }
}
