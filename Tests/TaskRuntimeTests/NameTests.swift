import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// Names and call sites of tasks.
@Suite(.serialized)
struct NameTests {
    @Test func anUnnamedTaskIsNamedAfterItsKindOrMaker() async throws {
        let recording = try await EventRecording.of { _ in Self.makeOneOfEach() }
        #expect(
            recording.labels.map(\.name) == [
                "value", "error", "cancelled", "makeOneOfEach()", "makeOneOfEach()", "value", "makeOneOfEach()", "whenAll",
                "whenAllResults",
                "whenAny", "delay", "makeOneOfEach()", "makeOneOfEach()", "value", "makeOneOfEach()", "makeOneOfEach()", "makeOneOfEach()",
                "makeOneOfEach()", "makeOneOfEach()",
            ])
    }

    private static func makeOneOfEach() {
        let one = ChainTask(1)
        _ = ChainTask<Int>(error: Boom())
        _ = ChainTask<Int>.cancelled()
        _ = ChainTask { 1 }
        _ = ChainTask.flattening { ChainTask(1) }
        TaskCompletionSource<Int>().set(1)
        _ = ChainTask.whenAll([one])
        _ = ChainTask.whenAllResults([one])
        _ = ChainTask.whenAny([one])
        Timers.$current.withValue(VirtualTimers()) { _ = ChainTask.delay(.seconds(1)) }
        one.continueWith { _ in }
        one.continueWithTask { _ in ChainTask(1) }
        one.continueOnSuccessWith { $0 }
        one.continueOnSuccessWithTask { _ in one }
        one.continueOnErrorWith { _ in 1 }
        one.continueOnErrorWith { (_: Boom) in 1 }
        one.continueOnErrorWithTask { _ in one }
    }

    static let firstLine = #line
    private static func makeOneOfEachWithAName() -> [String] {
        let one = ChainTask(1, name: "a")
        _ = ChainTask<Int>(error: Boom(), name: "b")
        _ = ChainTask<Int>.cancelled(name: "c")
        _ = ChainTask(name: "d") { 1 }
        _ = ChainTask.flattening(name: "e") { one }
        TaskCompletionSource<Int>(name: "f").set(1)
        _ = ChainTask.whenAll([one], name: "g")
        _ = ChainTask.whenAllResults([one], name: "h")
        _ = ChainTask.whenAny([one], name: "i")
        _ = ChainTask.delay(.zero, name: "j")
        one.continueWith(name: "k") { _ in }
        one.continueWithTask(name: "l") { _ in one }
        one.continueOnSuccessWith(name: "m") { $0 }
        one.continueOnSuccessWithTask(name: "n") { _ in one }
        one.continueOnErrorWith(name: "o") { _ in 1 }
        one.continueOnErrorWithTask(name: "p") { (_: Boom) in one }
        return "abcdefghijklmnop".map(String.init)
    }

    @Test func aNameAndItsCallSiteAreKept() async throws {
        var names: [String] = []
        let recording = try await EventRecording.of { _ in
            Timers.$current.withValue(VirtualTimers()) { names = Self.makeOneOfEachWithAName() }
        }
        #expect(recording.labels.map(\.name) == names)
        #expect(
            recording.labels.map(\.site)
                == names.indices.map { "TaskRuntimeTests/NameTests.swift:\(Self.firstLine + 2 + $0)" })
    }

    @Test func asynchronousTasksHaveNames() async throws {
        let recording = try await EventRecording.of { _ in
            _ = try await ChainTask(operation: { 1 }).value
            _ = try await ChainTask(name: "download", operation: { 1 }).value
        }
        #expect(recording.labels.map(\.name) == ["asynchronousTasksHaveNames()", "download"])
    }

    /// The trace has the call site that set a source, and that of a failed attempt.
    @Test func theCallSiteThatSetASourceIsKept() async throws {
        let line = UInt32(#line)
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            source.set(1, fileID: "Module/File.swift", line: 12)
            source.trySet(2)
        }
        let sites = recording.events.filter { $0.kind == .completed || $0.kind == .completedTwice }.map {
            recording.entries.label($0.label)?.site
        }
        #expect(sites == ["Module/File.swift:12", "TaskRuntimeTests/NameTests.swift:\(line + 4)"])
    }
}
