import AWSTasks
import Foundation
import Testing
import TraceTestKit

@Suite(.explored) struct CompletionHandlerTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let response: String?
        let error: NSError?
        let outcome: String
    }

    static let calls = [
        Row(testDescription: "a response", response: "response", error: nil, outcome: "result response"),
        Row(testDescription: "an error", response: nil, error: failure, outcome: "error -1"),
        Row(testDescription: "both", response: "response", error: failure, outcome: "error -1"),
        Row(testDescription: "neither", response: nil, error: nil, outcome: "result nil"),
    ]

    @Test("A call with a completion handler becomes a task", arguments: calls)
    func toTask(_ row: Row) {
        let task = AWSTask<NSString>(completionHandler: { handler in
            handler(row.response.map { NSString(string: $0) }, row.error)
            handler("a second time", nil)
        })
        #expect(outcome(task) == row.outcome)
    }

    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let task: @Sendable () -> AWSTask<NSString>
        let response: String?
        let error: NSError?
    }

    static let ends = [
        End(testDescription: "a result", task: { AWSTask(result: "result") }, response: "result", error: nil),
        End(testDescription: "an error", task: { AWSTask(error: failure) }, response: nil, error: failure),
        End(testDescription: "a cancellation, two nils", task: { .cancelled() }, response: nil, error: nil),
    ]

    @Test("A completion handler receives a task's outcome", arguments: ends)
    func fromTask(_ row: End) {
        let log = Log()
        row.task().handOver(to: { response, error in
            log.write("\(response ?? "nil"), \((error as? NSError)?.code ?? 0)")
        })
        #expect(log.lines == ["\(row.response ?? "nil"), \(row.error?.code ?? 0)"])
    }

    @Test("A completion handler runs on its executor")
    func onExecutor() {
        let (jobs, log) = (Jobs(), Log())
        AWSTask<NSString>(result: "result").handOver(to: { response, _ in log.write("\(response ?? "nil")") }, executor: jobs.executor())
        #expect(log.lines.isEmpty)
        jobs.run()
        #expect(log.lines == ["result"])
    }
}
