import AWSTasks
import Dispatch
import Foundation
import TaskEvents
import Testing
import TraceTestKit

/// The events that AWSTasks emits.
@Suite(.serialized) struct TraceTests {
    @Test("A result, an error and a cancellation each make a root task")
    func finished() async throws {
        let recording = try await EventRecording.of { _ in
            _ = (Task(result: nil, name: "a"), Task(error: failure, name: "b"), Task.cancelled(name: "c"))
        }
        #expect(recording.lines(of: "a") == ["created a root on - after -", "completed a"])
        #expect(recording.lines(of: "b") == ["created b root on - after -", "faulted b thrown \(failure) from -", "released b"])
        #expect(recording.lines(of: "c") == ["created c root on - after -", "cancelled c asked from -"])
    }

    @Test("A task is named after the function that made it, a finished task after its kind")
    func names() async throws {
        let recording = try await EventRecording.of { _ in
            let task = Task(result: nil).continueWith { _ in nil }
            _ = (task, Source(), Task(forCompletionOfAllTasks: []))
        }
        #expect(recording.labels.map(\.name) == ["result", "names()", "names()", "forCompletionOfAllTasks"])
    }

    @Test("A continuation on the immediate executor runs inline")
    func inline() async throws {
        let recording = try await EventRecording.of { _ in
            Task(result: nil, name: "a").continueWith(block: { _ in nil }, name: "b")
        }
        #expect(recording.lines(of: "b") == ["created b continuation on default after a", "started b on default inline", "completed b"])
    }

    @Test("A skip goes through the queue as a job of no task")
    func skip() async throws {
        let jobs = Jobs()
        let recording = try await EventRecording.of { _ in
            let executor = jobs.executor(name: "net")
            let skipped = Task(error: failure, name: "a").continueOnSuccessWith(executor: executor, block: { _ in nil }, name: "b")
            skipped.continueWith(block: { _ in nil }, name: "c")
            jobs.run()
        }
        #expect(
            recording.lines(of: "b") == [
                "created b continuation on net after a", "hopped b from - to net dispatched", "enqueued b on net", "skipped b after a",
                "faulted b forwarded \(failure) from a", "released b",
            ])
        #expect(recording.linesOfJobs(on: "net") == ["started - on net dequeued", "jobEnded - on net"])
        #expect(recording.lines(of: "c").contains("started c on default inline"))
    }

    @Test("A token cancels a continuation that waits in a queue")
    func token() async throws {
        let (jobs, cancellation) = (Jobs(), AWSCancellationTokenSource())
        let recording = try await EventRecording.of { _ in
            Task(result: nil, name: "a").continueWith(
                executor: jobs.executor(name: "net"), block: { _ in nil }, cancellationToken: cancellation.token, name: "b")
            cancellation.cancel()
            jobs.run()
        }
        #expect(recording.lines(of: "b").suffix(2) == ["enqueued b on net", "cancelled b token from -"])
    }

    @Test("A returned task is followed: its error is forwarded, and a later access reads it")
    func flattening() async throws {
        let recording = try await EventRecording.of { _ in
            let source = Source(name: "inner")
            Task(result: nil, name: "a").continueWith(block: { _ in source.task }, name: "b")
                .continueWith(block: { $0.error.map { _ in "handled" } }, name: "c")
            source.set(error: failure)
        }
        #expect(
            recording.lines(of: "b") == [
                "created b continuation on default after a", "started b on default inline", "antecedent b inner inner",
                "suspended b innerTask inner", "resumed b", "faulted b forwarded \(failure) from inner", "errorRead b by c",
            ])
        #expect(recording.lines(of: "c").last == "completed c")
    }

    @Test("A join forwards a single error and aggregates several")
    func joins() async throws {
        let recording = try await EventRecording.of { _ in
            let inputs = [Task(result: nil, name: "a"), Task(error: failure, name: "b"), Task(error: failure, name: "c")]
            _ = Task(forCompletionOfAllTasks: Array(inputs[0...1]), name: "one").error
            _ = Task(forCompletionOfAllTasks: inputs, name: "several").error
        }
        #expect(
            recording.lines(of: "one") == [
                "created one join on - after a", "antecedent one input b", "faulted one forwarded \(failure) from b", "errorRead one by -",
            ])
        let several = recording.lines(of: "several")
        #expect(several.prefix(3) == ["created several join on - after a", "antecedent several input b", "antecedent several input c"])
        #expect(several[3].hasPrefix("faulted several transformed Error Domain=bolts Code=80175001"))
    }

    @Test("A source that is set twice emits completedTwice")
    func setTwice() async throws {
        let recording = try await EventRecording.of { _ in
            let source = Source(name: "a")
            source.set(result: nil)
            source.trySet(error: failure)
        }
        #expect(recording.lines(of: "a") == ["created a source on - after -", "completed a by set", "completedTwice a tried by set"])
    }

    @Test("AWSExecutor's executors have the names of the runtime's executors")
    func executors() async throws {
        let recording = try await EventRecording.of { _ in
            for (name, executor) in [
                ("a", AWSExecutor.default()), ("b", .immediate()), ("c", .mainThread()), ("d", AWSExecutor(dispatchQueue: .main)),
                ("e", AWSExecutor(dispatchQueue: DispatchQueue(label: "label"))),
            ] {
                await end(of: Task(from: executor, with: { 0 }, name: name))
            }
        }
        let executors = recording.lines(.created).map { $0.split(separator: " ")[4] }
        #expect(executors == ["default", "immediate", "main", "main", "label"])
    }
}
