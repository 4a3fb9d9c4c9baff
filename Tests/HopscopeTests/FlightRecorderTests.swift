import Foundation
import Hopscope
import TaskEvents
import Testing
import TraceFile
import TraceStore
import TraceTestKit

/// A flight recorder in its own program. Each test runs in a process of its own, because recording belongs to the process.
@Suite struct FlightRecorderTests {
    struct Refused: Error {}

    @Test("An error that is never read leaves a recording")
    func unreadError() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let recorder = try Inspector.flightRecorder(folder: folder.path)
            _ = ChainTask<Int>(name: "request") { throw Refused() }
            let path = waitForRecording("unobserved-fault", in: folder)
            recorder.stop()
            #expect(try names(path) == ["request"])
        }
    }

    @Test("A signal leaves a recording")
    func signal() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let recorder = try Inspector.flightRecorder(signal: SIGUSR2, folder: folder.path)
            _ = ChainTask(1, name: "before the signal")
            kill(getpid(), SIGUSR2)
            let path = waitForRecording("signal", in: folder)
            recorder.stop()
            #expect(try names(path) == ["before the signal"])
        }
    }

    @Test("The program can ask for a recording until the recorder has stopped")
    func asked() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let recorder = try Inspector.flightRecorder(folder: folder.path)
            _ = ChainTask(1, name: "first")
            let paths = [try recorder.write(), try recorder.write("again")]
            #expect(try paths.map { try names($0) } == [["first"], ["first"]])
            #expect(paths[0].hasSuffix("-asked.hop") && paths[1].hasSuffix("-again.hop"))
            recorder.stop()
            recorder.stop()
            #expect(throws: FlightRecorder.Stopped.self) { try recorder.write() }
        }
    }

    @Test("A recording that cannot be written is an error, and the recorder goes on")
    func noFolder() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            try folder.write("a file", to: "taken")
            let recorder = try Inspector.flightRecorder(folder: folder.path("taken"))
            #expect(throws: (any Error).self) { try recorder.write() }
            try FileManager.default.removeItem(atPath: folder.path("taken"))
            #expect(throws: Never.self) { try recorder.write() }
            recorder.stop()
        }
    }

    @Test("Unknown rules and queries are refused")
    func refusals() async throws {
        await #expect(processExitsWith: .success) {
            #expect(throws: (any Error).self) { try Inspector.flightRecorder(rules: ["no-such-rule"]) }
            #expect(throws: (any Error).self) { try Inspector.flightRecorder(query: "state:nonsense") }
        }
    }
}

/// The path of the first recording of that trigger, once it is complete.
private func waitForRecording(_ trigger: String, in folder: ScratchFolder) -> String {
    while true {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        if let name = names.first(where: { $0.hasSuffix("-\(trigger).hop") }), let reader = try? TraceFileReader(path: folder.path(name)),
            reader.isComplete
        {
            return folder.path(name)
        }
        sched_yield()
    }
}

private func names(_ path: String) throws -> [String] {
    let history = TraceHistory(try TraceFileReader(path: path))
    history.loadAll()
    return history.store.rows.map { history.store[$0].label.name }
}
