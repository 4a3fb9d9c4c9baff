import Foundation
import Hopscope
import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// The calls of `Inspector`. Each test runs in a process of its own, because publishing and recording belong to the process.
@Suite struct InspectorTests {
    @Test func aPublishedProgramCanBeReadAndControlled() async throws {
        await #expect(processExitsWith: .success) {
            let path = ownFolder()
            defer { try? FileManager.default.removeItem(atPath: path) }
            let publication = try Inspector.publish()
            let task = ChainTask(on: .immediate, name: "save") { 7 }
            #expect(task.result == 7)

            let trace = try #require(TraceDirectory.all().flatMap { $0.traces() }.first)
            #expect(trace.path == publication.path)
            #expect(trace.writer == .recording)
            let region = try RegionFile(path: trace.path)
            let store = TraceStore()
            var merger = LaneMerger(source: region)
            merger.drain { store.apply($0) }
            #expect(store.rows.map { store[$0].label.name } == ["save"])
            #expect(store.count(of: .succeeded) == 1)

            let connection = try ControlConnection(to: region)
            #expect(try connection.send(.mark("seen")).isDone)
            #expect(try connection.send(.step(.all)) == .failed("No job is held there."))
            #expect(try connection.send(.hold(.all)) == .done("All executors are held: timing is not the program's own."))
            let held = ChainTask(on: .immediate, name: "held") { 8 }
            #expect(!held.isCompleted)
            #expect(try connection.send(.step(.all)) == .done("`held` was released to immediate."))
            #expect(try await held.value == 8)
            let failing = ChainTask(on: .immediate, name: "failing") { 9 }
            #expect(try connection.send(.fault(failing.id, message: "what if")).isDone)
            #expect((failing.error as? InjectedFault)?.message == "what if")
            #expect(try connection.send(.open(.all)) == .done("All executors are open; 1 held job runs."))

            publication.stop()
            publication.stop()
            #expect(region.writer != .recording)
            #expect(!EventBus.isRecording)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test func twoPublicationsShareOneRegionUntilBothStop() async throws {
        await #expect(processExitsWith: .success) {
            let path = ownFolder()
            defer { try? FileManager.default.removeItem(atPath: path) }
            let one = try Inspector.publish()
            let other = try Inspector.publish()
            #expect(one.path == other.path)
            one.stop()
            one.stop()
            #expect(EventBus.isRecording)
            #expect(access(other.path, F_OK) == 0)
            other.stop()
            #expect(!EventBus.isRecording)
            let third = try Inspector.publish()
            #expect(access(third.path, F_OK) == 0)
            third.stop()
        }
    }

    @Test(arguments: [true, false])
    func recordingAndPublishingShareTheEvents(publishingFirst: Bool) async throws {
        await passing(publishingFirst) {
            await #expect(processExitsWith: .success) {
                let publishingFirst = try passed(Bool.self)
                let path = ownFolder()
                defer { try? FileManager.default.removeItem(atPath: path) }
                let tape = Tape()
                var publication = publishingFirst ? try Inspector.publish() : nil
                let recording = try Inspector.record(to: "x.hop") { _ in TapeSink(tape: tape) }
                if publication == nil {
                    // Traces that other programs of the user publish do not count.
                    #expect(TraceDirectory.all().flatMap { $0.traces() }.allSatisfy { $0.pid != getpid() })
                    publication = try Inspector.publish()
                }
                for number in 1...1000 { _ = ChainTask(number, name: "value \(number)") }
                let region = try RegionFile(path: publication!.path)
                #expect(region.recordCount >= 2000)
                // One of two readers stops; the other continues.
                publication?.stop()
                for number in 1001...2000 { _ = ChainTask(number, name: "value \(number)") }
                #expect(region.writer == .withdrawn)
                publication = try Inspector.publish()
                #expect(region.writer == .recording)
                try recording.stop()
                try recording.stop()
                let recorded = tape.state.withLock { $0 }
                #expect(recorded.isFinished)
                #expect(recorded.store.taskCount == 2000)
                #expect(recorded.store.lostCount == 0)
                #expect(recorded.store.count(of: .succeeded) == 2000)
                _ = ChainTask(1)
                #expect(tape.state.withLock { $0.store.taskCount } == 2000)
                publication?.stop()
                #expect(!EventBus.isRecording)
            }
        }
    }

    @Test func aRecordingHasEveryEventEmittedBeforeStop() async throws {
        await #expect(processExitsWith: .success) {
            let path = ownFolder()
            defer { try? FileManager.default.removeItem(atPath: path) }
            var total = 0
            for round in 1...50 {
                let tape = Tape()
                let recording = try Inspector.record(to: "x.hop") { _ in TapeSink(tape: tape) }
                for number in 0..<round * 7 { _ = ChainTask(number) }
                try recording.stop()
                total += tape.state.withLock { $0.store.taskCount }
                #expect(tape.state.withLock { $0.store.taskCount } == round * 7)
            }
            #expect(total == 50 * 51 / 2 * 7)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test func stopThrowsAWriteErrorOfItsSink() async throws {
        await #expect(processExitsWith: .success) {
            let path = ownFolder()
            defer { try? FileManager.default.removeItem(atPath: path) }
            let recording = try Inspector.record(to: "x.hop") { _ in FullSink() }
            _ = ChainTask(1)
            let error = #expect(throws: HopscopeError.self) { try recording.stop() }
            #expect(error?.kind == .unavailable && error?.description.contains("DiskFull") == true)
            #expect(!EventBus.isRecording)
        }
    }

    @Test func withoutARegionFileRecordingContinuesInMemory() async throws {
        await #expect(processExitsWith: .success) {
            setenv("HOPSCOPE", "/proc/none/hopscope", 1)
            #expect(throws: HopscopeError.self) { try Inspector.publish() }
            #expect(!EventBus.isRecording)
            let tape = Tape()
            let recording = try Inspector.record(to: "x.hop") { _ in TapeSink(tape: tape) }
            #expect(throws: HopscopeError.self) { try Inspector.publish() }
            _ = ChainTask(1)
            try recording.stop()
            #expect(tape.state.withLock { $0.store.taskCount } == 1)
        }
    }
}

/// A directory that this process publishes in.
private func ownFolder() -> String {
    let path = NSTemporaryDirectory() + "hopscope-test-\(UUID().uuidString)"
    setenv("HOPSCOPE", path, 1)
    // The process must not see traces that the user's other programs publish.
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] { setenv(name, path + "-nowhere", 1) }
    return path
}

/// The events that a sink received, folded.
private final class Tape: Sendable {
    struct State: @unchecked Sendable {
        // Under the owner's lock.
        let store = TraceStore()
        var isFinished = false
    }

    let state = Guarded(State())
}

private struct TapeSink: TraceSink {
    let tape: Tape

    mutating func write(_ batch: TraceBatch) {
        tape.state.withLock { $0.store.apply(batch) }
    }

    mutating func finish(sawExit: Bool, at time: UInt64) {
        tape.state.withLock { $0.isFinished = true }
    }
}

private struct FullSink: TraceSink {
    struct DiskFull: Error {}

    func write(_ batch: TraceBatch) throws { throw DiskFull() }
    func finish(sawExit: Bool, at time: UInt64) {}
}
