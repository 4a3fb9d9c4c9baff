import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@Suite struct ExampleTests {
    @Test func aFaultIsForwardedPastASkippedContinuation() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let save = trace.root("saveRecord", on: net)
        trace.enqueue(save)
        trace.advance(milliseconds: 1)
        trace.start(save)
        trace.advance(milliseconds: 2)
        trace.fault(save, type: "KinesisError", message: "throttled")
        trace.endJob(save)
        let submit = trace.continuation("submitAllRecords", of: save, on: net)
        trace.skip(submit)
        let store = trace.store()

        let saved = store.task(save)!
        #expect(saved.state == .faulted)
        #expect(saved.label == Label(name: "saveRecord", file: "App/main.swift", line: 1))
        #expect(store.entries.error(saved.error) == ErrorDescription(type: "KinesisError", message: "throttled"))
        #expect(saved.queuedTime == 1_000_000)
        #expect(saved.busy == 2_000_000)
        #expect(Array(saved.successors) == [submit])
        let skipped = store.task(submit)!
        #expect(skipped.state == .faulted)
        #expect(skipped.isSkipped)
        #expect(skipped.faultManner == .forwarded)
        #expect(skipped.faultSource == save)
        #expect(skipped.chain == save)
        #expect(skipped.queued == nil)
        #expect(skipped.started == nil)
        let executor = store.executor(net)!
        #expect(executor.jobs == 1)
        #expect(executor.busy == 2_000_000)
        #expect(executor.maxDepth == 1)
        #expect(executor.waits.max == 1_000_000)
    }
}
