import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// Two events of a task share their time if none of the program's code can have run between them, and only then.
@Suite(.serialized)
struct SharedTimeTests {
    /// The times of a task's events of one kind each.
    private func times(_ recording: EventRecording, of name: String, _ kinds: EventKind...) -> [UInt64] {
        let task = recording.events.first { $0.kind == .created && recording.entries.label($0.label)?.name == name }?.task
        return kinds.compactMap { kind in recording.events.first { $0.task == task && $0.kind == kind }?.time }
    }

    /// Reads the clock until it moves, so that a later event cannot have the same time by accident.
    private static func spend() {
        let before = DispatchTime.now().uptimeNanoseconds
        while DispatchTime.now().uptimeNanoseconds < before + 1000 {}
    }

    @Test func anInlineStartHasTheTimeOfTheCreation() async throws {
        let recording = try await EventRecording.of { _ in
            _ = ChainTask(1, name: "ended").continueOnSuccessWith(on: .immediate, name: "next") { _ in Self.spend() }
        }
        let times = times(recording, of: "next", .created, .started, .completed)
        #expect(times.count == 3)
        #expect(times[0] == times[1])
        #expect(times[1] < times[2])
    }

    @Test func aTaskThatIsMadeEndedEndsWhenItIsCreated() async throws {
        let recording = try await EventRecording.of { _ in _ = ChainTask(1, name: "ended").result }
        let times = times(recording, of: "ended", .created, .completed)
        #expect(times.count == 2)
        #expect(times[0] == times[1])
    }

    @Test func aStartAfterOtherCodeHasItsOwnTime() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            _ = source.task.continueOnSuccessWith(on: .immediate, name: "next") { $0 }
            Self.spend()
            source.set(1)
        }
        let times = times(recording, of: "next", .created, .started)
        #expect(times.count == 2)
        #expect(times[0] < times[1])
    }

    /// A dialect's task is created, and its user starts it later.
    @Test func aTaskThatIsSentLaterHasItsOwnStart() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "cold")
            Self.spend()
            source.task.send(to: .immediate, if: { true }) {}
            source.set(1)
        }
        let times = times(recording, of: "cold", .created, .started)
        #expect(times.count == 2)
        #expect(times[0] < times[1])
    }

    @Test func aSkippedTaskEndsWhenItIsSkipped() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            let next = source.task.continueOnSuccessWith(on: .immediate, name: "next") { $0 }
            Self.spend()
            source.set(error: Boom())
            _ = next.error
        }
        let times = times(recording, of: "next", .created, .skipped, .faulted)
        #expect(times.count == 3)
        #expect(times[0] < times[1])
        #expect(times[1] == times[2])
    }

    @Test func aHopIsQueuedWhenItIsMade() async throws {
        let manual = ManualExecutor()
        let recording = try await EventRecording.of { _ in
            let next = ChainTask(1, name: "ended").continueOnSuccessWith(on: manual.executor, name: "next") { $0 }
            Self.spend()
            manual.runNext()
            _ = next.result
        }
        let times = times(recording, of: "next", .hopped, .enqueued, .started)
        #expect(times.count == 3)
        #expect(times[0] == times[1])
        #expect(times[1] < times[2])
    }
}
