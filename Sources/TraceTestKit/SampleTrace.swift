import TaskEvents

/// A small trace with one example of each element of a report.
package enum SampleTrace {
    /// The AWS guide with a failed save, a join of two unobserved failures, a hop to main and back, and a waiting task.
    package static func make() -> TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .queue)
        let inline = trace.executor("default", .default)

        let save = trace.root("saveRecord", on: net, line: 12)
        trace.enqueue(save)
        trace.advance(microseconds: 300)
        trace.start(save)
        trace.advance(microseconds: 12_100)
        trace.fault(save, type: "KinesisError", message: "throttled")
        let submit = trace.continuation("submitAllRecords", of: save, on: net, line: 13)
        trace.skip(submit)
        let report = trace.continuation("report", of: submit, on: main, line: 14)
        trace.hop(report, from: net)
        trace.enqueue(report)
        trace.endJob(save)
        trace.advance(microseconds: 1_100)
        trace.start(report)
        trace.readError(of: submit, by: report)
        trace.advance(microseconds: 200)
        trace.complete(report)
        let store = trace.continuation("store", of: report, on: net, line: 15)
        trace.hop(store, from: main)
        trace.enqueue(store)
        trace.endJob(report)
        trace.advance(microseconds: 50)
        trace.start(store)
        trace.advance(microseconds: 40)
        trace.complete(store)
        trace.endJob(store)

        let one = trace.source("request\u{1B}[2J", line: 20)
        let other = trace.source("zweite Anfrage", line: 21)
        trace.fault(one, type: "Timeout", message: "Timeout(after: 3)")
        trace.fault(other, type: "NSError", message: "The server\nsaid no.", .injected)
        let join = trace.join(of: [one, other], line: 22)
        trace.fault(join, type: "AggregateError", message: "2 errors", .transformed)
        let pending = trace.continuation("late", of: store, on: inline, line: 23)
        trace.cancel(pending, .token)
        _ = trace.delay(line: 24)
        return trace
    }
}
