import AWSTasks
import Testing
import TraceTestKit

@Suite struct ContinuationTests {
    @Test("Every form of the original's continuation methods exists")
    func forms() {
        let token = AWSCancellationTokenSource().token
        let task = Task(result: "a".object)
        let block: @Sendable (Task) -> Any? = { "\($0.result as? String ?? "-")b" }
        let ends = [
            task.continueWith(block: block),
            task.continueWith(block: block, cancellationToken: token),
            task.continueWith(executor: .immediate(), block: block),
            task.continueWith(executor: .immediate(), block: block, cancellationToken: token),
            task.continueWith { "\($0.result as? String ?? "-")b" },
            task.continueWith(executor: .default()) { "\($0.result as? String ?? "-")b" },
            task.continueOnSuccessWith(block: block),
            task.continueOnSuccessWith(block: block, cancellationToken: token),
            task.continueOnSuccessWith(executor: .immediate(), block: block),
            task.continueOnSuccessWith(executor: .immediate(), block: block, cancellationToken: token),
            task.continueOnSuccessWith { "\($0.result as? String ?? "-")b" },
            task.continueOnSuccessWith(executor: .default()) { "\($0.result as? String ?? "-")b" },
        ]
        #expect(ends.allSatisfy { $0.result as? String == "ab" })
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let antecedent: @Sendable () -> Task
        let afterAny: String
        let afterSuccess: String
    }

    static let rows = [
        Row(
            testDescription: "a result", antecedent: { Task(result: "value".object) }, afterAny: "result ran",
            afterSuccess: "result ran"),
        Row(testDescription: "nil", antecedent: { Task(result: nil) }, afterAny: "result ran", afterSuccess: "result ran"),
        Row(testDescription: "an error", antecedent: { Task(error: failure) }, afterAny: "result ran", afterSuccess: "error -1"),
        Row(testDescription: "a cancellation", antecedent: { Task.cancelled() }, afterAny: "result ran", afterSuccess: "cancelled"),
    ]

    @Test("Each continuation runs after the outcomes that it is for", arguments: rows)
    func applies(_ row: Row) {
        #expect(outcome(row.antecedent().continueWith { _ in "ran" }) == row.afterAny)
        #expect(outcome(row.antecedent().continueOnSuccessWith { _ in "ran" }) == row.afterSuccess)
    }

    @Test("A cancelled token keeps the block from running, whatever the antecedent's outcome", arguments: rows)
    func cancelledToken(_ row: Row) {
        let (cancellation, log) = (AWSCancellationTokenSource(), Log())
        cancellation.cancel()
        let task = row.antecedent().continueWith(block: { _ in log.write("ran") }, cancellationToken: cancellation.token)
        let success = row.antecedent().continueOnSuccessWith(block: { _ in log.write("ran") }, cancellationToken: cancellation.token)
        #expect([outcome(task), outcome(success)] == ["cancelled", "cancelled"])
        #expect(log.lines.isEmpty)
    }

    @Test("A token that is cancelled while the block is queued keeps it from running, also a skipped one")
    func cancelledInQueue() {
        let (cancellation, jobs, log) = (AWSCancellationTokenSource(), Jobs(), Log())
        let queued = [Task(result: nil), Task(error: failure)].map { task in
            task.continueOnSuccessWith(
                executor: jobs.executor(), block: { _ in log.write("ran") }, cancellationToken: cancellation.token)
        }
        cancellation.cancel()
        #expect(queued.map { outcome($0) } == ["pending", "pending"])
        jobs.run()
        #expect(queued.map { outcome($0) } == ["cancelled", "cancelled"])
        #expect(log.lines.isEmpty)
    }

    @Test("A token that the block cancels changes the outcome only if the block returns a task")
    func cancelledByBlock() {
        let results: [@Sendable () -> Any?] = [{ "value" }, { Task(result: "inner".object) }, { Task(error: failure) }]
        let ends = results.map { result in
            let cancellation = AWSCancellationTokenSource()
            return outcome(
                Task(result: nil).continueWith(
                    block: { _ in
                        cancellation.cancel()
                        return result()
                    }, cancellationToken: cancellation.token))
        }
        #expect(ends == ["result value", "cancelled", "cancelled"])
    }

    @Test("A continuation that returns its antecedent ends with the antecedent's outcome")
    func returnsAntecedent() {
        #expect(outcome(Task(error: failure).continueWith { $0 }) == "error -1")
        #expect(outcome(Task(result: "value".object).continueWith { $0 }) == "result value")
    }

    @Test("A long chain does not grow the stack")
    func longChain() async {
        await EventRecording.alone {
            let source = Source()
            var last = source.task
            for _ in 0..<100_000 {
                last = last.continueOnSuccessWith { Task(result: (($0.result as? Int ?? 0) + 1) as AnyObject) }
            }
            source.set(result: 0 as AnyObject)
            #expect(last.result as? Int == 100_000)
        }
    }
}
