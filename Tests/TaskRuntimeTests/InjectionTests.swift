import Dispatch
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TaskRuntime

/// Tasks that the inspector ends.
@Suite(.serialized)
struct InjectionTests {
    private static func carryOut(_ control: Control) -> ControlAnswer { ProcessTrace.shared.carryOut(control) }

    @Test func anErrorIsInjectedIntoAPendingTask() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            let next = source.task.continueOnSuccessWith(on: .immediate, name: "next") { $0 }
            let last = next.continueOnErrorWith(on: .immediate, name: "last") { _ in 3 }
            let answer = Self.carryOut(.fault(next.id, message: "what if"))
            #expect(answer == .done("Task \(next.id.rawValue) was made to fail."))
            #expect(next.error is InjectedFault && last.result == 3)
            source.set(1)
            #expect(next.isFaulted)
        }
        #expect(recording.lines(of: "next").dropFirst().first == "faulted next injected what if from -")
        #expect(recording.lines(of: "last").suffix(2) == ["started last on immediate inline", "completed last"])
    }

    @Test func aPendingTaskIsCancelled() async throws {
        let recording = try await EventRecording.of { _ in
            let manual = ManualExecutor()
            let queued = ChainTask(on: manual.executor, name: "queued") { Issue.record("a cancelled body has run") }
            #expect(Self.carryOut(.cancel(queued.id)) == .done("Task \(queued.id.rawValue) was cancelled."))
            #expect(queued.isCancelled)
            manual.runAll()
        }
        #expect(recording.lines(.cancelled) == ["cancelled queued injected from -"])
    }

    /// The code that sets the source cannot know of the injection and has made no mistake.
    @Test func settingASourceAfterAnInjectionIsNoError() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            _ = Self.carryOut(.fault(source.task.id, message: "what if"))
            source.set(1)
            #expect(source.task.isFaulted && !source.trySet(2))
        }
        #expect(recording.lines(.completedTwice).count == 2)
        #expect(recording.lines(.completedTwice).allSatisfy { $0.contains("tried") })
    }

    @Test func aTaskThatWaitsForAnInnerTaskCanBeEnded() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>()
            let outer = ChainTask<Int>.flattening(on: .immediate, name: "outer") { source.task }
            #expect(Self.carryOut(.cancel(outer.id)).isDone && outer.isCancelled)
            source.set(1)
        }
        #expect(!recording.lines(of: "outer").contains("resumed outer"))
    }

    @Test func aTaskThatCannotBeEndedIsReported() async throws {
        _ = try await EventRecording.of { _ in
            let ended = ChainTask(1)
            #expect(Self.carryOut(.cancel(ended.id)) == .failed("Task \(ended.id.rawValue) had ended before."))
            let answer = Cell<ControlAnswer>(), own = Cell<TaskID>(), manual = ManualExecutor()
            let running = ChainTask(on: manual.executor) { answer.value = Self.carryOut(.cancel(own.value!)) }
            own.value = running.id
            manual.runAll()
            #expect(answer.value == .failed("Task \(running.id.rawValue) is running: its body decides how it ends."))
            #expect(running.result != nil)
            let gone = TaskID(rawValue: ChainTask(2).id.rawValue)
            #expect(Self.carryOut(.cancel(gone)).sentence.hasPrefix("Task \(gone.rawValue) cannot be reached: it has ended, "))
            let next = TaskID(rawValue: gone.rawValue + 1_000_000)
            #expect(Self.carryOut(.cancel(next)) == .failed("There is no task \(next.rawValue)."))
        }
        await EventRecording.alone {
            let unseen = TaskCompletionSource<Int>()
            #expect(Self.carryOut(.cancel(unseen.task.id)).sentence.contains("was made while nothing was recorded"))
            unseen.set(1)
        }
    }

    /// Tasks are looked up while other threads make, end and release them.
    @Test func lookupKeepsNoTaskAndMissesNone() async throws {
        _ = try await EventRecording.of { _ in
            let kept = (0..<50).map { _ in TaskCompletionSource<Int>() }
            let before = AnyChainTask.liveCount
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<3000 {
                    if thread < 2 {
                        let source = TaskCompletionSource<Int>()
                        if round % 2 == 0 { source.set(1) }
                    } else {
                        let number = kept[round % 50].task.id
                        #expect(AnyChainTask.listed(number)?.id == number)
                        _ = AnyChainTask.listed(TaskID(rawValue: kept[49].task.id.rawValue + UInt64(round)))
                    }
                }
            }
            #expect(AnyChainTask.liveCount == before)
            for source in kept { source.set(1) }
        }
    }
}
