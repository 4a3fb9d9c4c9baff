import TaskEvents
import TraceTestKit

extension SampleTraces {
    /// Findings of several rules; one rule has forty.
    static let warnings: TraceBuilder = {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .pool))
        trace.run(trace.root("buildIndex", on: main, line: 31), after: 2, milliseconds: 240)
        let source = trace.source("文件 answer", line: 40)
        for number in 0..<40 {
            let body = trace.root("ask \(number)", on: net, line: 44)
            trace.enqueue(body)
            trace.start(body)
            trace.beginWait(for: source, by: body)
            trace.advance(milliseconds: 12)
            trace.endWait(for: source, by: body, timedOut: true)
            trace.complete(body)
            trace.endJob(body)
        }
        trace.complete(source)
        trace.completeTwice(source, isError: true)
        for _ in 0..<101 { _ = trace.continuation("drop", of: source, line: 60) }
        return trace
    }()
}
