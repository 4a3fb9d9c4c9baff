import InspectorTestKit
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

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

    private mutating func goOn() {
        swift.enqueue(awaiting, on: swift.global)
        swift.wait(microseconds: 5)
        swift.begin(awaiting, on: swift.global)
    }

    private func faults(isOver: Bool = false) -> [String] {
        let store = swift.trace.store()
        store.isOver = isOver
        return FaultAnalysis(store).faults().map(\.text)
    }

    private func roles(isOver: Bool = false) -> [String] {
        let store = swift.trace.store()
        store.isOver = isOver
        let analysis = FaultAnalysis(store, readers: ErrorReaders(store))
        return store.rows.map { analysis.role(of: store[$0])?.name ?? "-" }
    }

    @Test("An error is pending until the awaiting task gets it, and read from then on, whatever that task awaits next")
    mutating func readAtOnce() {
        awaitValue()
        fail()
        #expect(faults() == ["2 thrown, 1 -<2: pending"])
        #expect(roles() == ["-", "thrown"])
        goOn()
        #expect(faults() == ["2 thrown, 1 read<2: read"])
        #expect(roles() == ["read", "thrown"])
        swift.wait(microseconds: 5)
        swift.suspend(awaiting, .continuation, on: swift.global)
        swift.wait(microseconds: 5)
        #expect(faults() == ["2 thrown, 1 read<2: read"])
        goOn()
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
        goOn()
        switch end {
        case 0: swift.complete(awaiting)
        case 1: swift.trace.forwardFault(awaiting, from: failing)
        case 2: swift.trace.fault(awaiting, type: "Other")
        default: swift.trace.cancel(awaiting, .thrown)
        }
        let path = ["1 recovered<2: recovered", "1 unobserved<2: unobserved", "1 unobserved<2: unobserved", "1 read<2: read"][end]
        #expect(faults()[0] == "2 thrown, \(path)")
        let store = swift.trace.store()
        let path2 = FaultAnalysis(store).path(from: failing)
        #expect(path2?.steps.count == 2)
    }

    @Test("A task's own error that no task reads is a lost fault, although another task handled the error that it had caught")
    mutating func ownErrorIsLost() {
        awaitValue()
        fail()
        goOn()
        let other = swift.task("other")
        swift.enqueue(other, on: swift.global)
        swift.begin(other, on: swift.global, lane: 12)
        swift.trace.readError(of: failing, by: other)
        swift.wait(microseconds: 5)
        swift.trace.complete(other)
        swift.trace.fault(awaiting, type: "Other")
        #expect(faults() == ["2 thrown, 1 unobserved<2, 3 recovered<2: recovered", "1 thrown: unobserved"])
        #expect(FaultCounts(FaultAnalysis(swift.trace.store())).text == "2 faults, 1 lost")
    }

    @Test("An error that a task throws after awaiting another value is not derived from the first error")
    mutating func wentOn() {
        awaitValue()
        fail()
        goOn()
        let next = swift.task("next", by: awaiting)
        swift.suspend(awaiting, .task, awaiting: next, on: swift.global)
        swift.run(next, on: swift.global, lane: 12)
        goOn()
        swift.trace.fault(awaiting, type: "Unrelated")
        #expect(faults() == ["2 thrown, 1 read<2: read", "1 thrown: unobserved"])
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
            goOn()
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
        goOn()
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
        store.isOver = true
        #expect(FaultAnalysis(store).path(from: origin)?.text == "1 thrown, 2 read<1: read")
    }

    @Test("A group passes a child's error to the parent when the parent runs again")
    mutating func child() {
        let child = swift.task("child", .groupChild, by: awaiting)
        swift.suspend(awaiting, .group, on: swift.global)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global, lane: 12)
        swift.wait(microseconds: 5)
        swift.trace.fault(child, type: "Boom")
        swift.wait(microseconds: 5)
        #expect(faults() == ["3 thrown, 1 -<3: pending"])
        goOn()
        #expect(faults() == ["3 thrown, 1 read<3: read"])
    }
}
