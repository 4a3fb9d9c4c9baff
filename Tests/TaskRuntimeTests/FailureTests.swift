import Synchronization
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// The number of times that a recording asks an error for its description.
@Suite(.serialized)
struct FailureTests {
    /// An error that counts its descriptions.
    final class Counted: Error, CustomStringConvertible {
        let count = Atomic(0)

        var description: String {
            count.add(1, ordering: .relaxed)
            return "counted"
        }
    }

    @Test("An error that passes a hundred skipped continuations is described once")
    func skipped() async throws {
        let error = Counted()
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            var last = source.task
            for _ in 0..<100 { last = last.continueOnSuccessWith(on: .immediate, name: "link") { $0 } }
            source.set(error: error)
        }
        #expect(error.count.load(ordering: .relaxed) == 1)
        let faults = recording.events.filter { $0.kind == .faulted }
        #expect(faults.count == 101)
        #expect(faults.allSatisfy { recording.entries.error($0.label)?.message == "counted" })
    }

    @Test("A later recording describes an old error anew")
    func laterRecording() async throws {
        let task = ChainTask<Int>(error: Counted(), name: "early")
        for _ in 0..<2 {
            let recording = try await EventRecording.of { _ in
                for _ in 0..<3 { _ = task.continueOnSuccessWith(on: .immediate, name: "link") { $0 } }
            }
            let faults = recording.events.filter { $0.kind == .faulted }
            #expect(faults.map { recording.entries.error($0.label)?.message } == ["counted", "counted", "counted"])
        }
    }

    @Test("Without a recording an error is not described")
    func unrecorded() async {
        let error = Counted()
        await EventRecording.alone {
            let task = ChainTask<Int>(error: error)
            _ = task.continueOnSuccessWith(on: .immediate) { $0 }
        }
        #expect(error.count.load(ordering: .relaxed) == 0)
    }
}
