import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import TaskEvents
import Testing
import TraceTestKit

/// The events that SwiftTasks emits.
@Suite(.serialized) struct TraceTests {
    @Test("A block goes through its queue")
    func block() async throws {
        let queue = DispatchQueue(label: "net")
        let recording = try await EventRecording.of { _ in
            let task = SwiftTask(completionValue: .Result(nil), name: "a").dependentTaskWith({ _ in nil }, queue: queue, name: "b")
            await ended(task)
            queue.sync {}
        }
        #expect(
            recording.lines(of: "b") == [
                "created b continuation on net after a", "hopped b from - to net dispatched", "enqueued b on net",
                "started b on net dequeued", "completed b", "jobEnded b on net",
            ])
    }

    @Test("A skip is decided on the global queue; the block's own queue is not used")
    func skip() async throws {
        let queue = DispatchQueue(label: "net")
        let recording = try await EventRecording.of { _ in
            let task = SwiftTask(completionValue: .Error(failure), name: "a").completionTaskWith({ _ in nil }, queue: queue, name: "b")
            await ended(task)
        }
        let global = "com.apple.root.default-qos"
        #expect(
            recording.lines(of: "b").prefix(5) == [
                "created b continuation on net after a", "hopped b from - to \(global) dispatched", "enqueued b on \(global)",
                "skipped b after a", "faulted b forwarded \(failure) from a",
            ])
    }

    @Test("After a success the block hops from the global queue to its own queue")
    func success() async throws {
        let queue = DispatchQueue(label: "net")
        let recording = try await EventRecording.of { _ in
            let task = SwiftTask(completionValue: .Result(nil), name: "a").completionTaskWith({ _ in nil }, queue: queue, name: "b")
            await ended(task)
            queue.sync {}
        }
        let global = "com.apple.root.default-qos"
        #expect(
            recording.lines(of: "b") == [
                "created b continuation on net after a", "hopped b from - to \(global) dispatched", "enqueued b on \(global)",
                "hopped b from \(global) to net dispatched", "enqueued b on net", "started b on net dequeued", "completed b",
                "jobEnded b on net",
            ])
    }

    @Test("A returned task's outcome arrives through the queue")
    func flattening() async throws {
        let queue = DispatchQueue(label: "net")
        let recording = try await EventRecording.of { _ in
            let task = SwiftTask(completionValue: .Result(nil), name: "a").dependentTaskWith(
                { _ in SwiftTask(completionValue: .Cancelled, name: "inner") }, queue: queue, name: "b")
            await ended(task)
            queue.sync {}
        }
        #expect(
            recording.lines(of: "b").dropFirst(3) == [
                "started b on net dequeued", "antecedent b inner inner", "suspended b innerTask inner",
                "hopped b from net to net dispatched",
                "enqueued b on net", "jobEnded b on net", "resumed b", "cancelled b forwarded from inner", "jobEnded b on net",
            ])
    }

    @Test("The main queue is the executor main")
    func main() async throws {
        let recording = try await EventRecording.of { _ in
            await ended(SwiftTask(completionValue: .Result(nil), name: "a").dependentTaskOnMainQueueWith({ _ in nil }, name: "b"))
        }
        #expect(recording.lines(of: "b").prefix(3).contains("hopped b from - to main dispatched"))
    }

    @Test("An exception is thrown, and a later access reads it")
    func exception() async throws {
        let recording = try await EventRecording.of { _ in
            let task = SwiftTask(completionValue: .Result(nil), name: "a").dependentTaskWith({ _ in throw Thrown() }, name: "b")
            await ended(await ended(task).dependentTaskWith({ $0.exception.map { "\($0)" } }, name: "c"))
        }
        #expect(recording.lines(.faulted) == ["faulted b thrown exception: Thrown() from -"])
        #expect(recording.lines(.errorRead) == ["errorRead b by c"])
    }

    @Test("Conversion to a BFTask and back adds no task")
    func bridge() async throws {
        let recording = try await EventRecording.of { _ in
            _ = SwiftTask(completionValue: .Result(nil), name: "a").bftask().swiftTask()
        }
        #expect(recording.lines == ["created a root on - after -", "completed a"])
    }
}
