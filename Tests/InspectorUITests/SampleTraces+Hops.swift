import TaskEvents
import TraceTestKit

extension SampleTraces {
    /// Hops of every class between three executors, and two jobs on main that others wait for.
    static var hops: TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .pool)
        let inline = trace.executor("default", .default)

        for round in 1...6 {
            let load = trace.root("load \(round)", on: net, line: 10)
            trace.run(load, milliseconds: 2)
            // Main only forwards the value: its visit is shorter than the two waits.
            let pass = trace.continuation("passOn \(round)", of: load, on: main, line: 11)
            put(pass, from: net, waiting: 400, running: 10, into: &trace)
            let store = trace.continuation("store \(round)", of: pass, on: net, line: 12)
            put(store, from: main, waiting: 90, running: 500, into: &trace)
            let again = trace.continuation("index \(round)", of: store, on: net, line: 13)
            put(again, from: net, waiting: 20, running: 300, into: &trace)
        }
        let deep = trace.root("walk", on: net, line: 20)
        trace.run(deep, milliseconds: 1)
        let step = trace.continuation("step 21", of: deep, on: inline, line: 21)
        trace.hop(step, from: net, to: inline, .depthGuard)
        trace.enqueue(step)
        trace.advance(microseconds: 60)
        trace.start(step)
        trace.complete(step)
        trace.endJob(step)

        for (index, milliseconds) in [48, 310].enumerated() {
            let render = trace.root("render \(index + 1)", on: main, line: 30)
            trace.enqueue(render)
            trace.advance(microseconds: 200)
            trace.start(render)
            let waiting = (1...2 + index).map { trace.root("tap \($0)", on: main, line: 31) }
            for task in waiting {
                trace.advance(milliseconds: 10)
                trace.hop(task, from: net, to: main)
                trace.enqueue(task)
            }
            trace.advance(milliseconds: UInt64(milliseconds - 10 * waiting.count))
            trace.complete(render)
            trace.endJob(render)
            for task in waiting {
                trace.start(task)
                trace.advance(milliseconds: 1)
                trace.complete(task)
                trace.endJob(task)
            }
            trace.advance(milliseconds: 120)
        }
        return trace
    }

    private static func put(
        _ task: TaskID, from: ExecutorID, waiting: UInt64, running: UInt64, into trace: inout TraceBuilder
    ) {
        trace.hop(task, from: from)
        trace.enqueue(task)
        trace.advance(microseconds: waiting)
        trace.start(task)
        trace.advance(microseconds: running)
        trace.complete(task)
        trace.endJob(task)
    }
}
