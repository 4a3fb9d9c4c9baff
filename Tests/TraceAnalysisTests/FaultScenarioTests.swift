import TaskEvents
import Testing
import TraceTestKit

/// The seeds' error scenarios, as events of their runtimes.
@Suite struct FaultScenarioTests {
    /// The AWS guide's chain: save, on success submit (which returns a task), then one body that reads the error.
    private struct Kinesis {
        var trace = TraceBuilder()
        let save, submit, report: TaskID

        init() {
            save = trace.root("saveRecord")
            submit = trace.continuation("submitAllRecords", of: save)
            report = trace.continuation("report", of: submit)
            trace.start(save, .inline)
            trace.advance(milliseconds: 12)
        }

        /// The success block runs and returns the request's task.
        mutating func request() -> TaskID {
            trace.start(submit, .inline)
            let request = trace.source("request")
            trace.wait(submit, forInner: request)
            trace.advance(milliseconds: 5)
            return request
        }

        mutating func finish(reading: Bool) {
            trace.start(report, .inline)
            if reading { trace.readError(of: submit, by: report) }
            trace.complete(report)
        }
    }

    @Test("The AWS guide: both requests succeed")
    func bothSucceed() {
        var kinesis = Kinesis()
        kinesis.trace.complete(kinesis.save)
        let request = kinesis.request()
        kinesis.trace.complete(request)
        kinesis.trace.complete(kinesis.submit)
        kinesis.finish(reading: false)
        #expect(kinesis.trace.faults.isEmpty)
        #expect(kinesis.trace.roles == ["-", "-", "-", "-"])
    }

    @Test("The AWS guide: the save succeeds, the submission fails")
    func submissionFails() {
        var kinesis = Kinesis()
        kinesis.trace.complete(kinesis.save)
        let request = kinesis.request()
        kinesis.trace.fault(request, type: "KinesisError")
        kinesis.trace.forwardFault(kinesis.submit, from: request)
        kinesis.finish(reading: true)
        #expect(kinesis.trace.faults == ["4 thrown, 2 forwarded<4, 3 recovered<2: recovered"])
        #expect(kinesis.trace.roles == ["-", "forwarded", "recovered", "thrown"])
    }

    @Test("The AWS guide: the save fails, the submission is skipped")
    func saveFails() {
        var kinesis = Kinesis()
        kinesis.trace.fault(kinesis.save, type: "KinesisError")
        kinesis.trace.skip(kinesis.submit)
        kinesis.finish(reading: true)
        #expect(kinesis.trace.faults == ["1 thrown, 2 forwarded<1, 3 recovered<2: recovered"])
        #expect(kinesis.trace.roles == ["thrown", "forwarded", "recovered"])
    }

    @Test("The AWS guide, per method: the first body reads the error and returns nothing to submit")
    func perMethod() {
        var trace = TraceBuilder()
        let save = trace.failed("KinesisError")
        let submit = trace.running(save, reading: save)
        trace.complete(submit)
        let report = trace.running(submit)
        trace.complete(report)
        #expect(trace.faults == ["1 thrown, 2 recovered<1: recovered"])
        #expect(trace.roles == ["thrown", "recovered", "-"])
    }

    /// find, mark (forced to fail by returning a failed task), find again (skipped), handle, done.
    @Test("Gini's valedictorian: one error handler at the end of a chain of success continuations")
    func valedictorian() {
        var trace = TraceBuilder()
        let find = trace.root("findAsync")
        let mark = trace.continuation("valedictorian", of: find)
        let again = trace.continuation("findAsync", of: mark)
        let handle = trace.continuation("salutatorian", of: again)
        let done = trace.continuation("done", of: handle)
        trace.complete(find)
        trace.start(mark, .inline)
        let forced = trace.failed("NSError")
        trace.link(mark, to: forced, role: .inner)
        trace.forwardFault(mark, from: forced)
        trace.skip(again)
        trace.start(handle, .inline)
        trace.readError(of: again, by: handle)
        trace.complete(handle)
        trace.start(done, .inline)
        trace.complete(done)
        #expect(trace.faults == ["6 thrown, 2 forwarded<6, 3 forwarded<2, 4 recovered<3: recovered"])
        #expect(trace.roles == ["-", "forwarded", "forwarded", "recovered", "-", "thrown"])
    }
}
