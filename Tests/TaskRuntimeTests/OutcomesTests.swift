import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.serialized, .explored)
struct OutcomesTests {
    private static func text(_ outcome: Outcome<Int>?) -> String {
        switch outcome {
        case .success(let value): "\(value)"
        case .faulted(let error): "\(error)"
        case .cancelled: "cancelled"
        case nil: "end"
        }
    }

    @Test func outcomesArriveInTheOrderOfCompletion() async {
        let sources = (0..<4).map { _ in TaskCompletionSource<Int>() }
        var outcomes = ChainTask.outcomes(of: sources.map(\.task)).makeAsyncIterator()
        sources[2].set(2)
        #expect(Self.text(await outcomes.next()) == "2")
        sources[3].setCancelled()
        sources[0].set(error: Boom())
        #expect(Self.text(await outcomes.next()) == "cancelled")
        #expect(Self.text(await outcomes.next()) == "boom")
        sources[1].set(1)
        #expect(Self.text(await outcomes.next()) == "1")
        #expect(Self.text(await outcomes.next()) == "end")
        #expect(Self.text(await outcomes.next()) == "end")
    }

    @Test func eachIterationStartsAgain() async {
        let outcomes = ChainTask.outcomes(of: [ChainTask(1), ChainTask(error: Boom()), ChainTask(3)])
        for _ in 0..<2 {
            var all: [String] = []
            for await outcome in outcomes { all.append(Self.text(outcome)) }
            #expect(all == ["1", "boom", "3"])
        }
        for await _ in ChainTask<Int>.outcomes(of: []) { Issue.record("none of none") }
    }

    @Test func anAbandonedIterationIsReleased() async {
        let pending = TaskCompletionSource<Int>()
        let waiting = Task {
            for await _ in ChainTask.outcomes(of: [pending.task]) { return "an outcome" }
            return "the end"
        }
        waiting.cancel()
        #expect(await waiting.value == "the end")
        pending.set(1)
    }

    @Test func manyTasksOfManyThreadsAllArrive() async {
        let sources = (0..<500).map { _ in TaskCompletionSource<Int>() }
        let outcomes = ChainTask.outcomes(of: sources.map(\.task))
        await withTaskGroup(of: Void.self) { group in
            for (number, source) in sources.enumerated() { group.addTask { source.set(number) } }
            var seen = Set<String>()
            for await outcome in outcomes { seen.insert(Self.text(outcome)) }
            #expect(seen.count == 500)
        }
    }

    @Test func onlyAnAccessedErrorIsRead() async throws {
        let recording = try await EventRecording.of { _ in
            let tasks = [ChainTask<Int>(error: Boom("first"), name: "first"), ChainTask<Int>(error: Boom("second"), name: "second")]
            var outcomes = ChainTask.outcomes(of: tasks).makeAsyncIterator()
            _ = await outcomes.next()
        }
        #expect(recording.lines(.errorRead) == ["errorRead first by -"])
        #expect(recording.lines(.antecedent).isEmpty)
    }
}
