import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// One test for each sentence of the design's *Roles* and *Reading*.
@Suite struct FaultRoleTests {
    // MARK: thrown, injected

    @Test(
        "An error's origin is a body that threw it, a source or finished task that was given it, or an injection",
        arguments: [
            (TaskKind.root, FaultManner.thrown, "thrown"), (.continuation, .thrown, "thrown"), (.source, .thrown, "thrown"),
            (.delay, .injected, "injected"), (.root, .injected, "injected"),
        ])
    func origins(kind: TaskKind, manner: FaultManner, role: String) {
        var trace = TraceBuilder()
        let task = trace.create(kind)
        trace.fault(task, type: "Boom", manner)
        #expect(trace.faults == ["1 \(role): unobserved"])
        #expect(trace.roles == [role])
    }

    @Test("An origin keeps its role when its error is read at once", arguments: [FaultManner.thrown, .injected])
    func originReadOutside(manner: FaultManner) {
        var trace = TraceBuilder()
        let task = trace.source("source")
        trace.fault(task, type: "Boom", manner)
        trace.readError(of: task)
        #expect(trace.faults == ["1 \(manner == .thrown ? "thrown" : "injected"): read"])
    }

    @Test("An empty aggregate is an origin: whenAny of no tasks")
    func aggregateOfNothing() {
        var trace = TraceBuilder()
        let join = trace.join("whenAny", of: [])
        trace.fault(join, type: "AggregateError", .transformed)
        #expect(trace.faults == ["1 thrown: unobserved"])
        #expect(trace.roles == ["thrown"])
    }

    // MARK: forwarded

    @Test("A skipped continuation forwards, and so does a typed handler that does not match")
    func skips() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let handler = trace.skipped(origin)
        let end = trace.running(handler, reading: handler)
        trace.complete(end)
        #expect(trace.faults == ["1 thrown, 2 forwarded<1, 3 recovered<2: recovered"])
    }

    @Test("A body that throws the error it read forwards")
    func throwsAgain() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin, reading: origin)
        trace.forwardFault(body, from: origin)
        let end = trace.running(body, reading: body)
        trace.complete(end)
        #expect(trace.faults == ["1 thrown, 2 forwarded<1, 3 recovered<2: recovered"])
    }

    @Test("A flattening task forwards its inner task's error, whether that ended before or after its body", arguments: [false, true])
    func flattens(isLate: Bool) {
        var trace = TraceBuilder()
        let outer = trace.root("outer")
        trace.start(outer, .inline)
        let inner = trace.source("inner")
        if isLate {
            trace.wait(outer, forInner: inner)
            trace.fault(inner, type: "Boom")
        } else {
            trace.fault(inner, type: "Boom")
            trace.link(outer, to: inner, role: .inner)
        }
        trace.forwardFault(outer, from: inner)
        let end = trace.running(outer, reading: outer)
        trace.complete(end)
        #expect(trace.faults == ["2 thrown, 1 forwarded<2, 3 recovered<1: recovered"])
    }

    @Test("A body that returns its antecedent forwards from it once")
    func returnsItsAntecedent() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin)
        trace.link(body, to: origin, role: .inner)
        trace.forwardFault(body, from: origin)
        #expect(trace.faults == ["1 thrown, 2 unobserved<1: unobserved"])
    }

    // MARK: transformed

    @Test("A body that read one error and threw another transforms, and the path goes on")
    func transforms() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin, reading: origin)
        trace.fault(body, type: "Wrapped", .transformed, from: origin)
        let end = trace.skipped(body)
        #expect(trace.faults == ["1 thrown, 2 transformed<1, 3 unobserved<2: unobserved"])
        #expect(trace.roles == ["thrown", "transformed", "unobserved"])
        trace.readError(of: end)
        #expect(trace.faults == ["1 thrown, 2 transformed<1, 3 read<2: read"])
    }

    @Test("A body that read one error and returned a task with another transforms on the first path and forwards on the second")
    func transformsByReturning() {
        var trace = TraceBuilder()
        let first = trace.failed("First")
        let body = trace.running(first, reading: first)
        let second = trace.failed("Second")
        trace.link(body, to: second, role: .inner)
        trace.forwardFault(body, from: second)
        let end = trace.running(body, reading: body)
        trace.complete(end)
        #expect(
            trace.faults == ["1 thrown, 2 transformed<1, 4 recovered<2: recovered", "3 thrown, 2 forwarded<3, 4 recovered<2: recovered"])
        #expect(trace.roles == ["thrown", "forwarded", "thrown", "recovered"])
    }

    // MARK: recovered, read

    @Test("A body that reads and succeeds has recovered; one that reads and is cancelled has read", arguments: [true, false])
    func reads(succeeds: Bool) {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin, reading: origin)
        if succeeds { trace.complete(body) } else { trace.cancel(body, .thrown) }
        let role = succeeds ? "recovered" : "read"
        #expect(trace.faults == ["1 thrown, 2 \(role)<1: \(role)"])
        #expect(trace.roles == ["thrown", role])
    }

    @Test("A root's body that reads a captured task's error takes it")
    func readsCaptured() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.runningRoot(reading: origin)
        trace.complete(body)
        #expect(trace.faults == ["1 thrown, 2 recovered<1: recovered"])
        #expect(trace.roles == ["thrown", "recovered"])
    }

    @Test("A body that reads a captured task's error and not its antecedent's swallows on one path and recovers on the other")
    func readsCapturedOnly() {
        var trace = TraceBuilder()
        let first = trace.failed("First")
        let second = trace.failed("Second")
        let body = trace.running(first, reading: second)
        trace.complete(body)
        #expect(trace.faults == ["1 thrown, 3 swallowed<1: swallowed", "2 thrown, 3 recovered<2: recovered"])
        #expect(trace.roles == ["thrown", "thrown", "recovered"])
    }

    @Test("Reading twice counts as reading once")
    func readsTwice() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let one = trace.running(origin, reading: origin, origin)
        let other = trace.running(origin, reading: origin)
        trace.readError(of: origin, by: one)
        trace.complete(one)
        trace.complete(other)
        #expect(trace.faults == ["1 thrown, 2 recovered<1, 3 recovered<1: recovered"])
    }

    // MARK: swallowed

    @Test("A body that ran on a failed antecedent without reading it swallowed it, whatever its outcome")
    func swallows() {
        for end in ["succeeded", "cancelled", "faulted"] {
            var trace = TraceBuilder()
            let origin = trace.failed()
            let body = trace.running(origin)
            switch end {
            case "succeeded": trace.complete(body)
            case "cancelled": trace.cancel(body, .thrown)
            default: trace.fault(body, type: "Other")
            }
            let own = end == "faulted" ? ["2 thrown: unobserved"] : []
            #expect(trace.faults == ["1 thrown, 2 swallowed<1: swallowed"] + own)
            #expect(trace.roles == ["thrown", end == "faulted" ? "thrown" : "swallowed"])
        }
    }

    @Test("A body that ran on a success has no role")
    func ranOnSuccess() {
        var trace = TraceBuilder()
        let root = trace.root("root")
        trace.complete(root)
        let body = trace.running(root)
        trace.complete(body)
        #expect(trace.roles == ["-", "-"])
    }

    @Test("A body that swallows an error and returns it in another task forwards")
    func swallowsAndForwards() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin)
        let other = trace.skipped(origin)
        let late = trace.skipped(other)
        trace.link(body, to: late, role: .inner)
        trace.forwardFault(body, from: late)
        #expect(trace.faults == ["1 thrown, 3 forwarded<1, 4 forwarded<3, 2 unobserved<4: unobserved"])
    }

    @Test("A body that reads an error and ends with it through another task forwards")
    func readsAndForwardsOnAnotherWay() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin, reading: origin)
        let other = trace.skipped(origin)
        trace.link(body, to: other, role: .inner)
        trace.forwardFault(body, from: other)
        #expect(trace.faults == ["1 thrown, 3 forwarded<1, 2 unobserved<3: unobserved"])
    }

    // MARK: null

    @Test("A continuation that a token cancels before its body begins takes no error")
    func tokenBeforeBody() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.continuation("body", of: origin)
        trace.cancel(body, .token)
        #expect(trace.faults == ["1 thrown: unobserved"])
        #expect(trace.roles == ["thrown", "-"])
    }

    @Test("A continuation that a token cancels while it waits for its inner task ends after its body ran")
    func tokenAfterBody() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.running(origin)
        let inner = trace.source("inner")
        trace.wait(body, forInner: inner)
        trace.cancel(body, .token)
        trace.fault(inner, type: "Late")
        #expect(trace.faults == ["1 thrown, 2 swallowed<1: swallowed", "3 thrown: unobserved"])
        #expect(trace.roles == ["thrown", "swallowed", "thrown"])
    }

    @Test("A root that was cancelled while it waited for a task that then failed has no role")
    func cancelledRoot() {
        var trace = TraceBuilder()
        let root = trace.runningRoot()
        let inner = trace.source("inner")
        trace.wait(root, forInner: inner)
        trace.cancel(root, .injected)
        trace.fault(inner, type: "Late")
        #expect(trace.roles == ["-", "thrown"])
        #expect(trace.faults == ["2 thrown: unobserved"])
    }

    @Test("An error injected into a continuation that has not begun is an origin")
    func injectedBeforeBody() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let body = trace.continuation("body", of: origin)
        trace.advance(nanoseconds: 1)
        trace.fault(body, type: "Injected", .injected)
        #expect(trace.faults == ["1 thrown: unobserved", "2 injected: unobserved"])
    }

    @Test("A task that has not ended has no role, and makes the verdict pending", arguments: ["pending", "queued", "running", "suspended"])
    func pendingTakers(state: String) {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let origin = trace.failed()
        let body = trace.continuation("body", of: origin, on: queue)
        if state != "pending" { trace.enqueue(body) }
        if state == "running" || state == "suspended" {
            trace.start(body)
            trace.readError(of: origin, by: body)
        }
        if state == "suspended" { trace.wait(body, forInner: trace.source("inner")) }
        #expect(trace.faults == ["1 thrown, 2 -<1: pending"])
        #expect(trace.roles.prefix(2) == ["thrown", "-"])
    }

    // MARK: The ends of a path

    @Test("At a path's last task the role is read or unobserved; an origin stays thrown", arguments: [true, false])
    func ends(isRead: Bool) {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let end = trace.skipped(origin)
        if isRead { trace.readError(of: end) }
        let role = isRead ? "read" : "unobserved"
        #expect(trace.faults == ["1 thrown, 2 \(role)<1: \(role)"])
        #expect(trace.roles == ["thrown", role])
    }

    @Test("A read from outside is an end of the path, also where a continuation forwards the error", arguments: [0, 1, 2])
    func readInTheMiddle(step: Int) {
        var trace = TraceBuilder()
        var tasks = [trace.failed()]
        tasks.append(trace.skipped(tasks[0]))
        tasks.append(trace.skipped(tasks[1]))
        tasks.append(trace.skipped(tasks[2]))
        trace.readError(of: tasks[step])
        #expect(trace.faults == ["1 thrown, 2 forwarded<1, 3 forwarded<2, 4 unobserved<3: read"])
    }

    @Test("A root that reads an error in the middle of its path is an end of it, as soon as it has read it")
    func readByARootInTheMiddle() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        _ = trace.skipped(origin)
        _ = trace.runningRoot(reading: origin)
        #expect(trace.faults == ["1 thrown, 2 unobserved<1, 3 read<1: read"])
        #expect(trace.roles == ["thrown", "unobserved", "read"])
    }

    @Test("A continuation that was cancelled before it began does not extend the path")
    func endsBeforeCancelled() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let end = trace.skipped(origin)
        let cancelled = trace.continuation("cancelled", of: end)
        trace.cancel(cancelled, .token)
        #expect(trace.roles == ["thrown", "unobserved", "-"])
    }

    @Test("A role that cannot be found within a bounded number of links is not known")
    func boundedRole() {
        var trace = TraceBuilder()
        let root = trace.root("root")
        trace.fault(root, type: "Boom")
        let readers = (0..<20_000).map { _ in
            let reader = trace.continuation("reader", of: root)
            trace.start(reader)
            trace.readError(of: root, by: reader)
            trace.complete(reader)
            return reader
        }
        let store = trace.store()
        let faults = FaultAnalysis(store)
        #expect(store.task(readers[0]).flatMap(faults.role) == .recovered)
        let before = store.readCount
        #expect(store.task(readers[19_999]).flatMap(faults.role) == nil)
        #expect(store.readCount - before < 5_000)
    }
}
