import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The paths of cancellations: who asked, which tasks each reached, and what they did then.
@Suite struct CancellationPathTests {
    private typealias Notice = CancellationPath.Notice

    private static func ask(
        _ swift: inout SwiftTrace, _ task: TaskID, _ request: CancellationRequest, by asker: TaskID = .none, at site: EntryID = .none
    ) {
        swift.trace.emit(
            TaskEvent(.cancellationAsked, task: task, other: asker.rawValue, label: site, detail: request.rawValue))
    }

    private static func look(_ swift: inout SwiftTrace, _ task: TaskID) {
        swift.trace.emit(TaskEvent(.cancellationSeen, task: task))
    }

    private static func begun(_ swift: inout SwiftTrace, _ name: String, _ kind: TaskKind = .detached, by parent: TaskID = .none) -> TaskID
    {
        let task = swift.task(name, kind, by: parent)
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global, lane: UInt16(10 + task.rawValue))
        return task
    }

    private static func paths(_ swift: SwiftTrace) -> [CancellationPath] { CancellationAnalysis(swift.trace.store()).paths() }

    @Test("A cancellation goes from the task that was named to its children, and theirs, in the order of the requests")
    func tree() {
        var swift = SwiftTrace()
        let main = Self.begun(&swift, "main", .root)
        let root = Self.begun(&swift, "root", by: main)
        let left = Self.begun(&swift, "left", .asyncLet, by: root)
        let right = Self.begun(&swift, "right", .groupChild, by: root)
        let leaf = Self.begun(&swift, "leaf", .groupChild, by: right)
        let site = swift.trace.label("", line: 40)
        swift.wait(milliseconds: 1)
        Self.ask(&swift, root, .called, by: main, at: site)
        let at = swift.trace.now
        for task in [right, leaf, left] { Self.ask(&swift, task, .inherited, by: main) }
        let late = swift.task("late", .asyncLet, by: root)
        Self.ask(&swift, late, .atCreation, by: root)
        let paths = Self.paths(swift)
        #expect(paths.count == 1)
        let path = paths[0]
        #expect(path.asker == main && path.at == at && path.site == site && path.request == .called)
        #expect(path.place(in: swift.trace.store()) == "App/main.swift:40")
        #expect(path.steps.map(\.task) == [root, right, leaf, left, late])
        #expect(path.steps.map(\.from) == [.none, root, right, root, root])
        #expect(path.steps.allSatisfy { $0.notice == .none && $0.ended == nil })
    }

    @Test("A task that looks and ends before the request is recorded was reached by it; one that did not look had ended before")
    func lookBeforeRequest() {
        var swift = SwiftTrace()
        let main = Self.begun(&swift, "main", .root)
        let (looked, ended) = (Self.begun(&swift, "looked", by: main), Self.begun(&swift, "ended", by: main))
        swift.wait(milliseconds: 1)
        Self.look(&swift, looked)
        let seen = swift.trace.now
        for task in [looked, ended] { swift.trace.emit(TaskEvent(.completed, task: task)) }
        swift.wait(milliseconds: 1)
        for task in [looked, ended] { Self.ask(&swift, task, .called, by: main) }
        let paths = Self.paths(swift)
        #expect(paths.map(\.first) == [looked] && paths.map(\.at) == [seen])
        #expect(paths.first?.steps.map(\.notice) == [.looked(seen)])
    }

    @Test("A handler's own call is a cancellation of its own, also between the children of the task that has the handler")
    func nested() {
        var swift = SwiftTrace()
        let main = Self.begun(&swift, "main", .root)
        let root = Self.begun(&swift, "root", by: main)
        let child = Self.begun(&swift, "child", .asyncLet, by: root)
        let other = Self.begun(&swift, "other", by: main)
        Self.ask(&swift, root, .called, by: main)
        Self.ask(&swift, other, .called, by: main)
        Self.ask(&swift, child, .inherited, by: main)
        #expect(Self.paths(swift).map { $0.steps.map(\.task) } == [[root, child], [other]])
    }

    @Test("One call cancels all children of a group; the children that come later belong to it, and those of a later group do not")
    func group() {
        var swift = SwiftTrace()
        let main = Self.begun(&swift, "main", .root)
        let site = swift.trace.label("", line: 7)
        func child(_ swift: inout SwiftTrace) -> TaskID { Self.begun(&swift, "child", .groupChild, by: main) }
        let (one, two) = (child(&swift), child(&swift))
        let inner = Self.begun(&swift, "inner", .asyncLet, by: two)
        swift.wait(milliseconds: 1)
        Self.ask(&swift, one, .called, by: main, at: site)
        swift.wait(nanoseconds: 50)
        Self.ask(&swift, two, .called, by: main, at: site)
        Self.ask(&swift, inner, .inherited, by: main)
        swift.wait(milliseconds: 1)
        let late = child(&swift)
        Self.ask(&swift, late, .atCreation, by: main)
        for task in [inner, two, one, late] { swift.complete(task) }
        swift.wait(milliseconds: 1)
        let next = child(&swift)
        swift.wait(milliseconds: 1)
        Self.ask(&swift, next, .called, by: main, at: site)
        let paths = Self.paths(swift)
        #expect(paths.map { $0.steps.map(\.task) } == [[one, two, inner, late], [next]])
        #expect(paths[0].steps.map(\.from) == [.none, .none, two, .none])
    }

    @Test("What each task did: looked, ended as cancelled, ran a handler, went on, or had ended before")
    func notices() {
        var swift = SwiftTrace()
        let tasks = ["looked", "ended", "handled", "went on", "over", "open"].map { Self.begun(&swift, $0) }
        let call = swift.trace.code(
            CodeSymbol(function: "closure #1 in load()", file: "main.swift", line: 3),
            CodeSymbol(function: "withTaskCancellationHandler<A>(operation:onCancel:isolation:)", isMachinery: true),
            CodeSymbol(function: "load()", file: "main.swift", line: 2))
        swift.suspend(tasks[2], .continuation, at: call)
        swift.complete(tasks[4])
        swift.wait(milliseconds: 1)
        for task in tasks { Self.ask(&swift, task, .called) }
        swift.wait(milliseconds: 2)
        Self.look(&swift, tasks[0])
        let looked = swift.trace.now
        swift.wait(milliseconds: 3)
        swift.begin(tasks[2], on: swift.global)
        for task in [tasks[0], tasks[2], tasks[3]] { swift.complete(task) }
        swift.trace.cancel(tasks[1], .thrown)
        let store = swift.trace.store()
        let paths = CancellationAnalysis(store).paths()
        let notices: [TaskID: Notice] = Dictionary(
            paths.flatMap { $0.steps.map { ($0.task, $0.notice) } }, uniquingKeysWith: { first, _ in first })
        #expect(notices == [tasks[0]: .looked(looked), tasks[1]: .ended, tasks[2]: .handled, tasks[3]: Notice.none, tasks[5]: Notice.none])
        let sentence = CancellationSentence(store)
        let texts = paths.map { sentence.text(of: $0.steps[0]) }
        #expect(
            texts == [
                "looked 2.0 ms later, and ended after 5.0 ms", "ended as cancelled 5.0 ms later",
                "the handler of `load()` ran, the task ended after 5.0 ms", "went on for 5.0 ms without a look",
                "has not looked, and has not ended",
            ])
        #expect(paths[2].steps[0].handlers(in: store).map(\.site) == ["main.swift:2"])
    }

    @Test("Where looks or records are missing, it is unknown whether a task noticed", arguments: [true, false])
    func unknown(isLoss: Bool) {
        var swift = SwiftTrace()
        if !isLoss { swift.trace.state(.all.subtracting(.looks)) }
        let task = Self.begun(&swift, "task")
        Self.ask(&swift, task, .called)
        if isLoss { swift.trace.lose(1) }
        swift.complete(task)
        #expect(Self.paths(swift).map { $0.steps.map(\.notice) } == [[.unknown]])
    }

    @Test("In a chain, a cancellation goes to the continuations, which end with it")
    func chain() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        let source = trace.source("source")
        let one = trace.continuation("one", of: source, on: net)
        let two = trace.continuation("two", of: one, on: net)
        let other = trace.source("other")
        trace.advance(milliseconds: 2)
        trace.cancel(source)
        trace.cancel(one, .forwarded, by: source)
        trace.cancel(two, .forwarded, by: one)
        trace.cancel(other, .token)
        let store = trace.store()
        let paths = CancellationAnalysis(store).paths()
        #expect(paths.map { $0.steps.map(\.task) } == [[source, one, two], [other]])
        #expect(paths[0].steps.map(\.from) == [.none, source, one])
        #expect(paths.allSatisfy { $0.request == nil && $0.asker == .none })
        let sentence = CancellationSentence(store)
        #expect(
            paths.map { sentence.beginning(of: $0) } == [
                "its source cancelled it, or it was created as cancelled", "its token was cancelled",
            ])
    }
}
