import Testing

@testable import TaskRuntime

struct CompletionSourceTests {
    typealias End = ContinuationTests.End

    static func tryToEnd(_ source: TaskCompletionSource<Int>, as end: End) -> Bool {
        switch end {
        case .success: source.trySet(9)
        case .boom: source.trySet(error: Boom("late"))
        case .thud: source.trySet(error: CancellationError())
        case .cancelled: source.trySetCancelled()
        }
    }

    @Test(arguments: End.allCases, End.allCases)
    func theFirstToSetDecides(_ first: End, _ second: End) {
        let source = TaskCompletionSource<Int>()
        first.apply(to: source)
        #expect(source.task.summary == ContinuationTests.forwarded[first])
        #expect(!Self.tryToEnd(source, as: second))
        #expect(source.task.summary == ContinuationTests.forwarded[first])
    }

    @Test func aTrySetEndsAPendingTask() {
        let summaries = End.allCases.map { end in
            let source = TaskCompletionSource<Int>()
            #expect(Self.tryToEnd(source, as: end))
            return source.task.summary
        }
        #expect(summaries == ["success 9", "faulted late", "faulted CancellationError()", "cancelled"])
    }

    @Test func settingACancellationErrorFaults() {
        let source = TaskCompletionSource<Int>()
        source.set(error: CancellationError())
        #expect(source.task.isFaulted && !source.task.isCancelled && source.task.error is CancellationError)
    }

    @Test func releasingAPendingSourceFaultsItsTask() {
        let log = Log()
        var source: TaskCompletionSource<Int>? = TaskCompletionSource(name: "upload")
        let task = source!.task
        task.continueWith { _ in log.add("continued") }
        source = nil
        #expect(task.error is BrokenSourceError)
        #expect(task.summary == "faulted the source of 'upload' was released before it was set")
        #expect(log.lines == ["continued"])
    }

    @Test func releasingASetSourceChangesNothing() {
        var source: TaskCompletionSource<Int>? = TaskCompletionSource()
        let task = source!.task
        source!.set(1)
        source = nil
        #expect(task.summary == "success 1")
    }

    // MARK: Setting twice

    /// Ways to set twice. They stand outside the macros, because a macro's body counts as one line.
    static let firstLine = #line
    static func setTwice() {
        let source = TaskCompletionSource<Int>(name: "upload")
        source.set(1)
        source.set(2)
    }
    static func cancelAfterAnError() {
        let source = TaskCompletionSource<Int>(name: "upload")
        source.set(error: Boom())
        source.setCancelled()
    }
    static func failAfterATry() {
        let source = TaskCompletionSource<Int>(name: "upload")
        source.trySetCancelled()
        source.set(error: Boom())
    }

    /// The trap of the given way names the task and both call sites.
    private static func check(_ result: ExitTest.Result?, way: Int) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let site = "TaskRuntimeTests/CompletionSourceTests.swift", line = firstLine + 3 + way * 5
        #expect(text.contains("'upload' was set a second time at \(site):\(line + 1); it had been set at \(site):\(line)."), "\(text)")
    }

    @Test func settingTwiceNamesBothCallSites() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            CompletionSourceTests.setTwice()
        }
        try Self.check(result, way: 0)
    }

    @Test func cancellingAfterAnErrorNamesBothCallSites() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            CompletionSourceTests.cancelAfterAnError()
        }
        try Self.check(result, way: 1)
    }

    @Test func failingAfterATryNamesBothCallSites() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            CompletionSourceTests.failAfterATry()
        }
        try Self.check(result, way: 2)
    }
}
