import TaskEvents
import Testing
import TraceTestKit

/// Errors that reach a join.
@Suite struct FaultJoinTests {
    @Test("whenAll forwards a single error")
    func oneError() {
        var trace = TraceBuilder()
        let good = trace.root("good")
        let bad = trace.failed()
        let join = trace.join(of: [good, bad])
        trace.complete(good)
        trace.forwardFault(join, from: bad)
        #expect(trace.faults == ["2 thrown, 3 unobserved<2: unobserved"])
        #expect(trace.roles == ["-", "thrown", "unobserved"])
    }

    @Test("An aggregate's sources are all its failed inputs")
    func aggregate() {
        var trace = TraceBuilder()
        let one = trace.failed("One")
        let other = trace.failed("Other")
        let good = trace.root("good")
        trace.complete(good)
        let join = trace.join(of: [one, good, other])
        trace.advance(nanoseconds: 1)
        trace.fault(join, type: "AggregateError", .transformed)
        let end = trace.running(join, reading: join)
        trace.complete(end)
        #expect(
            trace.faults == ["1 thrown, 4 transformed<1, 5 recovered<4: recovered", "2 thrown, 4 transformed<2, 5 recovered<4: recovered"])
        #expect(trace.roles == ["thrown", "thrown", "-", "transformed", "recovered"])
    }

    @Test("An error that reaches a join by two inputs is on the path once")
    func diamond() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let left = trace.skipped(origin)
        let right = trace.skipped(origin)
        let join = trace.join(of: [left, right, left])
        trace.fault(join, type: "AggregateError", .transformed)
        #expect(trace.faults == ["1 thrown, 2 forwarded<1, 3 forwarded<1, 4 unobserved<2: unobserved"])
    }

    @Test("A pending join is on the path of its input's error")
    func pendingJoin() {
        var trace = TraceBuilder()
        let bad = trace.failed()
        _ = trace.join(of: [bad, trace.root("open")])
        #expect(trace.faults == ["1 thrown, 3 -<1: pending"])
    }

    @Test("The failed inputs of a whenAny that succeeds: swallowed if they ended before it, otherwise unobserved", arguments: [-1, 0, 1])
    func whenAny(difference: Int) {
        var trace = TraceBuilder(at: 10)
        let bad = trace.root("bad")
        let skipped = trace.continuation("skipped", of: bad)
        let good = trace.root("good")
        let join = trace.join("whenAny", of: [skipped, good])
        if difference <= 0 {
            trace.fault(bad, type: "Boom")
            trace.skip(skipped)
            if difference < 0 { trace.advance(nanoseconds: 1) }
        }
        trace.complete(good)
        trace.complete(join)
        if difference > 0 {
            trace.advance(nanoseconds: 1)
            trace.fault(bad, type: "Boom")
            trace.skip(skipped)
        }
        let role = difference <= 0 ? "swallowed" : "unobserved"
        #expect(trace.faults == ["1 thrown, 2 \(role)<1: \(role)"])
        #expect(trace.roles == ["thrown", role, "-", "-"])
    }

    @Test("An origin that a successful whenAny dropped keeps its role; the verdict is swallowed")
    func whenAnyDropsOrigin() {
        var trace = TraceBuilder()
        let bad = trace.failed()
        let good = trace.root("good")
        let join = trace.join("whenAny", of: [bad, good])
        trace.advance(nanoseconds: 1)
        trace.complete(good)
        trace.complete(join)
        #expect(trace.faults == ["1 thrown: swallowed"])
        #expect(trace.roles == ["thrown", "-", "-"])
    }

    @Test("An input's error that is also read outside has the verdict read")
    func whenAnyDropsWhatWasRead() {
        var trace = TraceBuilder()
        let bad = trace.skipped(trace.failed())
        let join = trace.join("whenAny", of: [bad])
        trace.complete(join)
        trace.readError(of: bad)
        #expect(trace.faults == ["1 thrown, 2 read<1: read"])
    }

    @Test("If an error also continues elsewhere, the drop is one of the ends of its path")
    func whenAnyDropsOneWay() {
        var trace = TraceBuilder()
        let bad = trace.failed()
        let join = trace.join("whenAny", of: [bad, trace.root("good")])
        let end = trace.skipped(bad)
        trace.complete(join)
        #expect(trace.faults == ["1 thrown, 4 unobserved<1: swallowed"])
        trace.readError(of: end)
        #expect(trace.faults == ["1 thrown, 4 read<1: read"])
    }

    @Test("A join that ended with another input's error drops this one")
    func joinOfAnotherError() {
        var trace = TraceBuilder()
        let one = trace.failed("One")
        let other = trace.failed("Other")
        let join = trace.join(of: [one, other])
        trace.advance(nanoseconds: 1)
        trace.forwardFault(join, from: one)
        #expect(trace.faults == ["1 thrown, 3 unobserved<1: unobserved", "2 thrown: swallowed"])
    }
}
