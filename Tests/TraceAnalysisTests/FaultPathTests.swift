import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Order, verdicts, and traces that no program produces.
@Suite struct FaultPathTests {
    @Test("Faults are sorted by the time of their origin's end, then by id")
    func orderOfFaults() {
        var trace = TraceBuilder()
        let late = trace.root("late")
        let two = trace.root("two")
        let three = trace.root("three")
        trace.fault(three, type: "Boom")
        trace.fault(two, type: "Boom")
        trace.advance(nanoseconds: 1)
        trace.fault(late, type: "Boom")
        let store = trace.store()
        #expect(FaultAnalysis(store).origins().map(\.rawValue) == [2, 3, 1])
    }

    @Test("Tasks that take one task's error are sorted by the time they got it, then by id")
    func orderOfTakers() {
        var trace = TraceBuilder()
        let origin = trace.root("origin")
        let pending = trace.continuation("pending", of: origin)
        let later = trace.continuation("later", of: origin)
        let first = trace.continuation("first", of: origin)
        let tied = trace.continuation("tied", of: origin)
        trace.fault(origin, type: "Boom")
        trace.start(first, .inline)
        trace.start(tied, .inline)
        trace.advance(nanoseconds: 1)
        trace.start(later, .inline)
        for task in [later, tied, first] { trace.complete(task) }
        _ = pending
        #expect(trace.faults == ["1 thrown, 4 swallowed<1, 5 swallowed<1, 3 swallowed<1, 2 -<1: pending"])
    }

    @Test("A path is breadth first")
    func breadthFirst() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        let left = trace.skipped(origin)
        _ = trace.skipped(left)
        _ = trace.skipped(origin)
        #expect(trace.faults == ["1 thrown, 2 forwarded<1, 4 unobserved<1, 3 unobserved<2: unobserved"])
    }

    @Test("A role is known from the first reader, and the work of a path grows as its tasks")
    func workOfManyReaders() {
        func reads(_ count: Int) -> (role: Int, path: Int) {
            var swift = SwiftTrace()
            let (origin, middle) = (swift.task("origin"), swift.task("middle"))
            swift.begin(origin, on: swift.global)
            swift.begin(middle, on: swift.global, lane: 11)
            swift.suspend(middle, .task, awaiting: origin, on: swift.global)
            swift.trace.fault(origin, type: "Boom")
            swift.begin(middle, on: swift.global, lane: 11)
            swift.trace.forwardFault(middle, from: origin)
            for _ in 0..<count {
                let reader = swift.task("reader")
                swift.begin(reader, on: swift.global, lane: 12)
                swift.trace.readError(of: middle, by: reader)
                swift.complete(reader)
            }
            let store = swift.trace.store()
            let analysis = FaultAnalysis(store)
            var before = store.readCount
            #expect(store.task(middle).flatMap(analysis.role) == .forwarded)
            let role = store.readCount - before
            before = store.readCount
            #expect(analysis.path(from: origin)?.steps.count == count + 2)
            return (role, store.readCount - before)
        }
        let (few, many) = (reads(1000), reads(4000))
        #expect(many.role < 64, "\(few) \(many)")
        #expect(many.path <= 4 * few.path, "\(few) \(many)")
    }

    @Test("The work to find the origins in a chain of replaced errors grows as its tasks")
    func workOfReplacements() {
        func reads(_ count: Int) -> Int {
            var swift = SwiftTrace()
            var last = swift.task("first")
            swift.begin(last, on: swift.global)
            for _ in 1..<count {
                let next = swift.task("next")
                swift.begin(next, on: swift.global, lane: 11)
                swift.suspend(next, .task, awaiting: last, on: swift.global)
                swift.trace.fault(last, type: "Boom")
                swift.begin(next, on: swift.global, lane: 11)
                last = next
            }
            swift.trace.fault(last, type: "Boom")
            let store = swift.trace.store()
            let analysis = FaultAnalysis(store)
            let before = store.readCount
            #expect(analysis.origins().map(\.rawValue) == [1, UInt64(count)])
            return store.readCount - before
        }
        let (few, many) = (reads(250), reads(1000))
        #expect(many <= 5 * few, "\(few) \(many)")
    }

    @Test("A verdict is the best of the path's ends")
    func bestOfTwoEnds() {
        // `unknown` is no end: it takes the place of a verdict.
        let verdicts = Verdict.allCases.filter { $0 != .unknown }
        for best in verdicts {
            for worse in verdicts where worse >= best {
                for ends in [[best, worse], [worse, best]] {
                    var trace = TraceBuilder()
                    let origin = trace.failed()
                    for end in ends { Self.makeEnd(end, of: origin, in: &trace) }
                    let store = trace.store()
                    #expect(FaultAnalysis(store).path(from: origin)?.verdict == best, "\(ends)")
                }
            }
        }
    }

    private static func makeEnd(_ verdict: Verdict, of origin: TaskID, in trace: inout TraceBuilder) {
        switch verdict {
        case .recovered:
            let body = trace.running(origin, reading: origin)
            trace.complete(body)
        case .read:
            let body = trace.running(origin, reading: origin)
            trace.cancel(body, .thrown)
        case .pending:
            _ = trace.continuation("pending", of: origin)
        case .swallowed:
            let body = trace.running(origin)
            trace.complete(body)
        case .unobserved:
            _ = trace.skipped(origin)
        case .unknown: preconditionFailure("no task makes an unknown end")
        }
    }

    @Test("No path starts at a task that did not fail or is unknown")
    func noPath() {
        var trace = TraceBuilder()
        let open = trace.root("open")
        let store = trace.store()
        #expect(FaultAnalysis(store).path(from: open) == nil)
        #expect(FaultAnalysis(store).path(from: TaskID(rawValue: 77)) == nil)
    }

    // MARK: Damaged and truncated traces

    @Test("A fault whose origin was never seen starts at its first known task")
    func originUnknown() {
        var trace = TraceBuilder()
        let unseen = trace.reserveTask()
        let first = trace.root("first")
        trace.start(first, .inline)
        trace.fault(first, type: "Boom", .forwarded, from: unseen)
        let body = trace.running(first, reading: first)
        trace.complete(body)
        #expect(trace.faults == ["2 forwarded, 3 recovered<2: recovered"])
    }

    @Test("A reader that the store has evicted still counts as a reader")
    func readerForgotten() {
        var trace = TraceBuilder()
        let root = trace.root("root")
        let origin = trace.continuation("origin", of: root)
        let open = trace.continuation("open", of: root)
        let reader = trace.root("reader")
        trace.complete(root)
        trace.start(reader, .inline)
        trace.fault(origin, type: "Boom")
        trace.readError(of: origin, by: reader)
        trace.complete(reader)
        let store = trace.store(retention: Retention(endedTasks: 2))
        #expect(store.task(reader) == nil && store.task(open) != nil)
        #expect(FaultAnalysis(store).faults().map(\.text) == ["2 thrown: read"])
    }

    @Test("A circle of links ends a path")
    func circle() {
        var trace = TraceBuilder()
        let one = trace.root("one")
        let other = trace.create(.continuation, "other", of: [one])
        trace.link(one, to: other, role: .inner)
        trace.fault(one, type: "Boom", .forwarded, from: other)
        trace.forwardFault(other, from: one)
        trace.readError(of: one, by: one)
        #expect(trace.faults.isEmpty)
        let store = trace.store()
        #expect(FaultAnalysis(store).path(from: one)?.text == "1 forwarded, 2 forwarded<1: unobserved")
    }

    @Test("A chain of 200,000 skips does not grow the stack")
    func longChain() {
        let count = 200_000
        var trace = TraceBuilder()
        var last = trace.failed()
        for _ in 1..<count {
            let next = trace.create(.continuation, of: [last])
            trace.skip(next)
            last = next
        }
        let store = trace.store(retention: Retention(endedTasks: 2 * count))
        let path = FaultAnalysis(store).path(from: TaskID(rawValue: 1))
        #expect(path?.steps.count == count)
        #expect(path?.steps.last == FaultStep(task: last, role: .unobserved, from: TaskID(rawValue: last.rawValue - 1)))
        #expect(path?.verdict == .unobserved)
    }

    @Test("A fan of 20,000 readers that fail with different errors takes linear work")
    func wideFan() {
        let count = 20_000
        var trace = TraceBuilder()
        let origin = trace.failed()
        for _ in 0..<count {
            let body = trace.running(origin, reading: origin)
            let retry = trace.skipped(trace.failed("Again"))
            trace.link(body, to: retry, role: .inner)
            trace.forwardFault(body, from: retry)
        }
        let store = trace.store(retention: Retention(endedTasks: 4 * count))
        let path = FaultAnalysis(store).path(from: origin)
        #expect(path?.steps.count == count + 1)
        #expect(path?.steps.dropFirst().allSatisfy { $0.role == .unobserved && $0.from == origin } == true)
    }
}
