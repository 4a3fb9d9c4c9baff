import AWSTasks
import Dispatch
import SwiftTasks
import Testing
import TraceTestKit

/// Ended tasks leave no memory behind; measured in a process that does nothing else.
@Suite(.serialized)
struct LeftoverTests {
    @Test func endedTasksLeaveNothingBehind() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await Leftovers.report(LeftoverTests.finished + LeftoverTests.continuations)
        }
        #expect(errorText(result) == "")
    }

    private static let values: [(String, @Sendable () -> Value)] = [
        ("result", { .Result(nil) }), ("error", { .Error(failure) }), ("exception", { .Exception(Thrown()) }),
        ("cancelled", { .Cancelled }),
    ]

    private static let finished: [Leftovers.Kind] = values.flatMap { name, value -> [Leftovers.Kind] in
        [
            ("finished: \(name)", { made(SwiftTask(completionValue: value())) }),
            ("set: \(name)", { after(value()) { $0 } }),
            ("all: \(name)", { after(value()) { SwiftTask.taskForCompletionOfAllTasks([$0, SwiftTask(completionValue: value())]) } }),
            ("to Bolts and back: \(name)", { after(value()) { $0.bftask().swiftTask() } }),
        ]
    }

    private static let continuations: [Leftovers.Kind] = values.flatMap { name, value -> [Leftovers.Kind] in
        let queue = DispatchQueue(label: "leftovers")
        return [
            ("dependent after \(name)", { after(value()) { $0.dependentTaskWith { _ in nil } } }),
            ("dependent on a queue after \(name)", { after(value()) { $0.dependentTaskWith({ _ in nil }, queue: queue) } }),
            ("completion after \(name)", { after(value()) { $0.completionTaskWith({ _ in nil }, queue: queue) } }),
            ("throwing after \(name)", { after(value()) { $0.dependentTaskWith { _ in throw Thrown() } } }),
            ("flattening after \(name)", { after(value()) { $0.dependentTaskWith { _ in SwiftTask(completionValue: value()) } } }),
            ("flattening Bolts after \(name)", { after(value()) { $0.dependentTaskWith { _ in BFTask<AnyObject>(delay: 0) } } }),
            ("one that never runs, not after \(name)", { made(Source().task.dependentTaskWith { _ in nil }) }),
        ]
    }

    /// Releases the task.
    private static func made(_ task: SwiftTask) -> Int { 1 }

    /// Makes continuations of a source's task, then sets the source.
    private static func after(_ value: Value, _ make: (SwiftTask) -> SwiftTask) -> Int {
        let source = Source()
        let task = make(source.task)
        source.setCompletionValue(value)
        return 1 + made(task)
    }
}
