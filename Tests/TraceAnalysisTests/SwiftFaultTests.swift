import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The error of one Swift task in another task that awaits its value.
@Suite struct SwiftFaultTests {
    private var swift = SwiftTrace()
    private let awaiting: TaskID
    private let failing: TaskID

    /// `awaiting` makes `failing`, and both begin to run.
    init() {
        awaiting = swift.task("awaiting")
        swift.enqueue(awaiting, on: swift.global)
        swift.begin(awaiting, on: swift.global)
        swift.wait(microseconds: 5)
        failing = swift.task("failing", by: awaiting)
        swift.enqueue(failing, on: swift.global, by: awaiting)
    }

    private mutating func fail() {
        swift.begin(failing, on: swift.global, lane: 11)
        swift.wait(microseconds: 5)
        swift.trace.fault(failing, type: "Boom")
    }

    /// `awaiting` suspends for the value before there is one.
    private mutating func awaitValue() {
        swift.suspend(awaiting, .task, awaiting: failing, on: swift.global)
        swift.wait(microseconds: 5)
    }

    private mutating func advance() {
        swift.enqueue(awaiting, on: swift.global)
        swift.wait(microseconds: 5)
        swift.begin(awaiting, on: swift.global)
    }

    private func faults(isOver: Bool = false) -> [String] {
        let store = swift.trace.store()
        store.end = isOver ? .exit : .open
        return FaultAnalysis(store).faults().map(\.text)
    }

    private func roles(isOver: Bool = false) -> [String] {
        let store = swift.trace.store()
        store.end = isOver ? .exit : .open
        let analysis = FaultAnalysis(store, readers: ErrorReaders(store))
        return store.rows.map { analysis.role(of: store[$0])?.name ?? "-" }
    }

    @Test("An error is pending until the awaiting task gets it, and read from then on, whatever that task awaits next")
    mutating func readAtOnce() {
        awaitValue()
        fail()
        #expect(faults() == ["2 thrown, 1 -<2: pending"])
        #expect(roles() == ["-", "thrown"])
        advance()
        #expect(faults() == ["2 thrown, 1 read<2: read"])
        #expect(roles() == ["read", "thrown"])
        swift.wait(microseconds: 5)
        swift.suspend(awaiting, .continuation, on: swift.global)
        swift.wait(microseconds: 5)
        #expect(faults() == ["2 thrown, 1 read<2: read"])
        advance()
        #expect(faults() == ["2 thrown, 1 read<2: read"])
    }

    @Test("An awaited error that is already there is read at once, without a suspension")
    mutating func readWithoutSuspending() {
        fail()
        swift.wait(microseconds: 5)
        swift.trace.readError(of: failing, by: awaiting)
        #expect(faults() == ["2 thrown, 1 read<2: read"])
    }

    @Test("The end of the awaiting task decides its role: recovered, forwarded, transformed, read", arguments: 0..<4)
    mutating func ends(end: Int) {
        awaitValue()
        fail()
        advance()
        switch end {
        case 0: swift.complete(awaiting)
        case 1: swift.trace.forwardFault(awaiting, from: failing)
        case 2: swift.trace.fault(awaiting, type: "Other")
        default: swift.trace.cancel(awaiting, .thrown)
        }
        let path = ["1 recovered<2: recovered", "1 unobserved<2: unobserved", "1 transformed<2: unknown", "1 read<2: read"][end]
        #expect(faults() == ["2 thrown, \(path)"] + (end == 2 ? ["1 thrown: unobserved"] : []))
        let store = swift.trace.store()
        let path2 = FaultAnalysis(store).path(from: failing)
        #expect(path2?.steps.count == 2)
    }

    @Test("A task's own error that no task reads is a lost fault, although another task handled the error that it had caught")
    mutating func ownErrorIsLost() {
        awaitValue()
        fail()
        advance()
        let other = swift.task("other")
        swift.enqueue(other, on: swift.global)
        swift.begin(other, on: swift.global, lane: 12)
        swift.trace.readError(of: failing, by: other)
        swift.wait(microseconds: 5)
        swift.trace.complete(other)
        swift.trace.fault(awaiting, type: "Other")
        #expect(faults() == ["2 thrown, 1 unobserved<2, 3 recovered<2: recovered", "1 thrown: unobserved"])
        #expect(FaultCounts(FaultAnalysis(swift.trace.store())).text == "2 faults, 1 unread")
    }

    @Test("An error that a task throws after awaiting another value is not derived from the first error")
    mutating func wentOn() {
        awaitValue()
        fail()
        advance()
        let next = swift.task("next", by: awaiting)
        swift.suspend(awaiting, .task, awaiting: next, on: swift.global)
        swift.run(next, on: swift.global, lane: 12)
        advance()
        swift.trace.fault(awaiting, type: "Unrelated")
        #expect(faults() == ["2 thrown, 1 read<2: read", "1 thrown: unobserved"])
    }

    @Test(
        "An error that a task throws after it has made another task is not derived from the error that it took before",
        arguments: [TaskKind.asyncLet, .groupChild, .unstructured, .detached])
    mutating func wentOnWithATask(kind: TaskKind) {
        awaitValue()
        fail()
        advance()
        let other = swift.task("other", kind, by: awaiting)
        swift.run(other, on: swift.global, lane: 12)
        swift.trace.fault(awaiting, type: "Unrelated")
        #expect(faults() == ["2 thrown, 1 read<2: read", "1 thrown: unobserved"])
    }

    @Test("Without a route to cancellations, a wait for an async let may be its scope's, so an own error is not made of the child's")
    mutating func endOfScopeIsNotSeen() {
        let child = swift.task("child", .asyncLet, by: awaiting)
        swift.enqueue(child, on: swift.global, by: awaiting)
        swift.suspend(awaiting, .task, awaiting: child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 11)
        swift.wait(microseconds: 5)
        swift.trace.fault(child, type: "Boom")
        advance()
        swift.trace.fault(awaiting, type: "Other")
        #expect(faults() == ["3 thrown, 1 transformed<3: unknown", "1 thrown: unobserved"])
        swift.trace.state(.all.subtracting(.cancellation))
        #expect(faults().count == 2)
        #expect(faults().last == "1 thrown: unobserved")
        let store = swift.trace.store()
        #expect(store.task(awaiting)?.faultManner == .thrown)
    }

    @Test("Without a route to cancellations, a wait for an async let may be its scope's, so an own error may be made of an earlier one")
    mutating func endOfScopeAfterAnError() {
        let child = swift.task("child", .asyncLet, by: awaiting)
        swift.enqueue(child, on: swift.global, by: awaiting)
        awaitValue()
        fail()
        advance()
        swift.suspend(awaiting, .task, awaiting: child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 11)
        swift.trace.cancel(child, .thrown)
        advance()
        swift.trace.fault(awaiting, type: "Other")
        #expect(faults() == ["2 thrown, 1 read<2: read", "1 thrown: unobserved"])
        swift.trace.state(.all.subtracting(.cancellation))
        #expect(faults() == ["2 thrown, 1 transformed<2: unknown", "1 thrown: unobserved"])
    }

    @Test("A long-lived task that reads one error after the other leaves none of them pending")
    mutating func longLived() {
        for _ in 0..<34 {
            let task = swift.task("request", by: awaiting)
            swift.suspend(awaiting, .task, awaiting: task, on: swift.global)
            swift.enqueue(task, on: swift.global)
            swift.wait(microseconds: 5)
            swift.begin(task, on: swift.global, lane: 12)
            swift.wait(microseconds: 5)
            swift.trace.fault(task, type: "Boom")
            advance()
        }
        let store = swift.trace.store()
        var counts = FaultCounts(FaultAnalysis(store))
        #expect(counts.text == "34 faults")
        #expect(counts.verdicts == "34 read")
        // The task awaits the next request.
        let last = swift.task("request", by: awaiting)
        swift.suspend(awaiting, .task, awaiting: last, on: swift.global)
        swift.wait(microseconds: 5)
        swift.begin(last, on: swift.global, lane: 12)
        swift.trace.fault(last, type: "Boom")
        counts = FaultCounts(FaultAnalysis(swift.trace.store()))
        #expect(counts.verdicts == "1 pending, 34 read")
    }

    @Test("An ended program leaves no error pending: each is either read or unobserved")
    mutating func atTheEnd() {
        awaitValue()
        fail()
        #expect(faults(isOver: true) == ["2 thrown, 1 -<2: unobserved"])
        advance()
        #expect(faults(isOver: true) == ["2 thrown, 1 read<2: read"])
        #expect(roles(isOver: true) == ["read", "thrown"])
    }

    @Test("A continuation that has read an error counts as its reader, even if the program ended first")
    func continuationAtTheEnd() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        _ = trace.running(origin, reading: origin)
        let store = trace.store()
        #expect(FaultAnalysis(store).path(from: origin)?.text == "1 thrown, 2 -<1: pending")
        store.end = .exit
        #expect(FaultAnalysis(store).path(from: origin)?.text == "1 thrown, 2 read<1: read")
    }

    @Test(
        "Nothing shows whether the parent in a group looked at its child's error, unless it ends with that error", arguments: [true, false])
    mutating func child(isForwarded: Bool) {
        let child = swift.task("child", .groupChild, by: awaiting)
        swift.suspend(awaiting, .group, on: swift.global)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 12)
        swift.wait(microseconds: 5)
        swift.trace.fault(child, type: "Boom")
        swift.wait(microseconds: 5)
        #expect(faults() == ["3 thrown, 1 -<3: pending"])
        advance()
        #expect(faults() == ["3 thrown, 1 -<3: unknown"])
        guard isForwarded else {
            swift.complete(awaiting)
            #expect(faults() == ["3 thrown, 1 -<3: unknown"])
            #expect(roles()[0] == "-")
            return
        }
        swift.trace.forwardFault(awaiting, from: child)
        swift.trace.readError(of: awaiting, by: .none)
        #expect(faults() == ["3 thrown, 1 read<3: read"])
    }

    @Test("The end of a group's scope drops the error of a child that nothing had cancelled before it failed", arguments: 0..<4)
    mutating func droppedByGroup(shape: Int) throws {
        let child = swift.task("child", .groupChild, by: awaiting)
        swift.suspend(awaiting, .group, on: swift.global)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 12)
        swift.wait(microseconds: 5)
        func ask() { swift.trace.emit(TaskEvent(.cancellationAsked, task: child, other: awaiting.rawValue)) }
        let dropped = TaskEvent(.released, task: child, other: awaiting.rawValue, detail: ReleaseManner.dropped.rawValue)
        func drop() { swift.trace.emit(dropped) }
        // The records of two lanes can come in either order.
        if shape == 1 { drop() }
        if shape == 2 { ask() }
        swift.trace.fault(child, type: "Boom")
        if shape == 3 { ask() }
        if shape != 1 { drop() }
        advance()
        #expect(faults() == [shape == 2 ? "3 thrown, 1 -<3: unknown" : "3 thrown: unobserved"])
        let store = swift.trace.store()
        store.end = .cut
        #expect(FaultAnalysis(store).path(from: child)?.verdict == (shape == 2 ? .unknown : .unobserved))
        swift.complete(awaiting)
        swift.trace.emit(TaskEvent(.released, task: child))
        let ended = swift.trace.store()
        let list = WarningEngine().list(in: ended, isOver: true)
        let finding = list.groups.first { $0.rule == "unobserved-fault" }?.findings.first
        #expect((finding == nil) == (shape == 2))
        guard let finding else { return }
        #expect(
            list.message(of: finding, in: ended)
                == "`child` failed with Boom, and the error was never read: no code asked the group of `awaiting` for this result, and the end "
                + "of the group dropped it.")
    }

    @Test("An async let that ended before its parent awaited it is read, and a wait of its scope reads nothing", arguments: 0..<4)
    mutating func asyncLet(shape: Int) {
        let child = swift.task("child", .asyncLet, by: awaiting)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 12)
        swift.wait(microseconds: 5)
        swift.trace.fault(child, type: "Boom")
        swift.wait(microseconds: 5)
        let other = swift.task("other")
        switch shape {
        case 0: swift.trace.readError(of: child, by: awaiting)
        case 1: swift.trace.emit(TaskEvent(.cancellationAsked, task: child, other: awaiting.rawValue))
        case 2: swift.trace.emit(TaskEvent(.cancellationAsked, task: child, other: other.rawValue))
        default:
            swift.trace.emit(TaskEvent(.cancellationAsked, task: awaiting, other: awaiting.rawValue))
            swift.trace.emit(TaskEvent(.cancellationAsked, task: child, other: awaiting.rawValue))
        }
        swift.trace.readError(of: child, by: awaiting)
        swift.wait(microseconds: 5)
        // The parent is still running when the program ends.
        let expected = ["3 thrown, 1 read<3: read", "3 thrown: unobserved", "3 thrown, 1 -<3: unknown", "3 thrown, 1 -<3: unknown"]
        #expect(faults(isOver: true) == [expected[shape]])
    }

    @Test("A cancelled task's async let is cancelled as it is made, and the parent's wait for it can be a read")
    mutating func inheritedCancellation() {
        let (other, child) = (swift.task("other"), TaskID(rawValue: 4))
        swift.trace.emit(TaskEvent(.cancellationAsked, task: awaiting, other: other.rawValue))
        // The runtime cancels the child before it makes it known.
        swift.trace.emit(TaskEvent(.cancellationAsked, task: child, other: awaiting.rawValue))
        #expect(swift.task("child", .asyncLet, by: awaiting) == child)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 12)
        swift.wait(microseconds: 5)
        swift.trace.fault(child, type: "Boom")
        swift.wait(microseconds: 5)
        swift.trace.readError(of: child, by: awaiting)
        swift.wait(microseconds: 5)
        #expect(faults(isOver: true) == ["4 thrown, 1 -<4: unknown"])
        // The wait may be that of the scope, which this error left.
        swift.trace.fault(awaiting, type: "Own")
        #expect(faults(isOver: true) == ["4 thrown, 1 -<4: unknown", "1 thrown: unobserved"])
    }

    @Test("A reader that waits for something else and then fails handled the error; one that fails at once transformed it")
    mutating func failsLater() {
        awaitValue()
        fail()
        advance()
        swift.leave(awaiting, from: swift.global, to: swift.main)
        swift.begin(awaiting, on: swift.main)
        var later = self
        swift.trace.fault(awaiting, type: "Bust")
        swift.trace.readError(of: awaiting, by: .none)
        #expect(faults() == ["2 thrown, 1 read<2: read"])
        later.swift.suspend(awaiting, .continuation, on: swift.main)
        later.swift.wait(microseconds: 5)
        later.advance()
        later.swift.trace.fault(awaiting, type: "Bust")
        #expect(later.faults() == ["2 thrown, 1 read<2: read", "1 thrown: unobserved"])
    }

    @Test("A waiter that passes an error on got it from the task that it awaited, not from the waiter before it")
    mutating func waiters() {
        awaitValue()
        let second = swift.task("second")
        swift.enqueue(second, on: swift.global)
        swift.begin(second, on: swift.global, lane: 13)
        swift.suspend(second, .task, awaiting: failing, on: swift.global)
        fail()
        advance()
        swift.trace.forwardFault(awaiting, from: failing)
        swift.begin(second, on: swift.global, lane: 13)
        swift.trace.forwardFault(second, from: awaiting)
        #expect(faults() == ["2 thrown, 1 unobserved<2, 3 unobserved<2: unobserved"])
    }

    /// Three waiters had the error one after the other. Each thread names the task before its own first, and then records the end.
    @Test(
        "Threads record the ends of waiters in any order: each waiter got the error from the task that all of them awaited",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    mutating func waitersInAnyOrder(order: [Int]) {
        awaitValue()
        let others = ["second", "third"].map { swift.task($0) }
        for (index, other) in others.enumerated() {
            swift.enqueue(other, on: swift.global)
            swift.begin(other, on: swift.global, lane: UInt16(13 + index))
            swift.suspend(other, .task, awaiting: failing, on: swift.global)
        }
        let boom = swift.trace.error(type: "Boom")
        swift.begin(failing, on: swift.global, lane: 11)
        swift.wait(microseconds: 5)
        swift.trace.fault(failing, error: boom)
        advance()
        for (index, other) in others.enumerated() { swift.begin(other, on: swift.global, lane: UInt16(13 + index)) }
        let waiters = [awaiting] + others
        let sources = [failing, awaiting, others[0]]
        for index in order { swift.trace.fault(waiters[index], error: boom, .forwarded, from: sources[index]) }
        #expect(faults() == ["2 thrown, 1 unobserved<2, 3 unobserved<2, 4 unobserved<2: unobserved"])
    }

    @Test("A stored error that a task throws is its own, although the task that had it before ends later in the trace", arguments: [0, 1])
    mutating func storedErrorInAnyOrder(late: Int) {
        awaitValue()
        let other = swift.task("other")
        swift.enqueue(other, on: swift.global)
        swift.begin(other, on: swift.global, lane: 13)
        let boom = swift.trace.error(type: "Boom")
        swift.begin(failing, on: swift.global, lane: 11)
        swift.wait(microseconds: 5)
        swift.trace.fault(failing, error: boom)
        advance()
        // One of the two waited, and the other one threw the error without having awaited a task.
        let order = late == 0 ? [other, awaiting] : [awaiting, other]
        swift.trace.fault(order[1], error: boom, .forwarded, from: order[0])
        swift.trace.fault(order[0], error: boom, .forwarded, from: failing)
        #expect(faults(isOver: true) == ["2 thrown, 1 unobserved<2: unobserved", "3 thrown: unobserved"])
    }

    @Test("A task that throws the box of another task's error without having awaited that task begins a fault of its own")
    mutating func storedError() {
        fail()
        swift.trace.readError(of: failing, by: .none)
        swift.wait(microseconds: 5)
        swift.trace.forwardFault(awaiting, from: failing)
        #expect(faults(isOver: true) == ["2 thrown: read", "1 thrown: unobserved"])
    }

    @Test("A waiter got a stored error from the task that it awaited, although another task threw it in the meantime")
    mutating func storedErrorBetween() {
        awaitValue()
        fail()
        let other = swift.task("other")
        swift.enqueue(other, on: swift.global)
        swift.begin(other, on: swift.global, lane: 13)
        swift.trace.forwardFault(other, from: failing)
        advance()
        swift.trace.forwardFault(awaiting, from: other)
        #expect(faults(isOver: true) == ["2 thrown, 1 unobserved<2: unobserved", "3 thrown: unobserved"])
    }

    @Test("In a trace that ends before the program, an unread error is pending until its task is released")
    mutating func cut() {
        fail()
        let store = swift.trace.store()
        store.end = .cut
        #expect(FaultAnalysis(store).faults().map(\.text) == ["2 thrown: pending"])
        #expect(FaultCounts(FaultAnalysis(store)).unread == 0)
        let checks = WarningEngine().list(in: store, isOver: false).checks.filter { $0.obstacle == .blindness(.cut) }.map(\.rule)
        #expect(Set(checks) == ["never-completed", "swallowed-error", "unobserved-fault"])
        swift.trace.emit(TaskEvent(.released, task: failing))
        let later = swift.trace.store()
        later.end = .cut
        #expect(FaultAnalysis(later).faults().map(\.text) == ["2 thrown: unobserved"])
    }
}
