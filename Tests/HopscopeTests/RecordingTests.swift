import Foundation
import Hopscope
import TaskEvents
import Testing
import TraceFile
import TraceStore
import TraceTestKit
import TraceTransport

/// The file of a program that records itself. Each test runs in a process of its own, because recording belongs to the process.
@Suite struct RecordingTests {
    @Test func aRecordingHasExactlyTheEventsEmittedUntilStop() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let path = folder.path("a.hop")
            for round in 1...20 {
                let recording = try Inspector.record(to: path)
                #expect(recording.path == path)
                let tasks = (0..<round * 50).map { number in ChainTask(name: "task \(number)") { number } }
                for task in tasks { _ = try await task.value }
                try recording.stop()
                try recording.stop()
                _ = ChainTask(name: "too late") { 1 }

                let history = TraceHistory(try TraceFileReader(path: path))
                history.loadAll()
                #expect(history.recording?.isComplete == true)
                #expect((history.recording as? TraceFileReader)?.header.pid == getpid())
                #expect(history.store.taskCount == round * 50)
                #expect(history.store.count(of: .succeeded) == round * 50)
                #expect(history.store.lostCount == 0)
                let names = history.store.rows.map { history.store[$0].label.name }
                #expect(names == (0..<round * 50).map { "task \($0)" })
            }
            #expect(!EventBus.isRecording)
        }
    }

    @Test func twoRecordingsRunTogether() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let long = try Inspector.record(to: folder.path("long.hop"))
            _ = ChainTask(1, name: "before")
            let short = try Inspector.record(to: folder.path("short.hop"))
            _ = ChainTask(2, name: "during")
            try short.stop()
            _ = ChainTask(3, name: "after")
            try long.stop()
            #expect(try names(folder.path("long.hop")) == ["before", "during", "after"])
            // The lanes still held the events from before.
            #expect(try names(folder.path("short.hop")) == ["before", "during"])
        }
    }

    @Test func aKilledProgramLeavesTheEventsItHadWritten() async throws {
        let folder = try ScratchFolder()
        let path = folder.path("killed.hop")
        setenv("HOPSCOPE_TEST_PATH", path, 1)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let path = ProcessInfo.processInfo.environment["HOPSCOPE_TEST_PATH"] ?? ""
            let recording = try Inspector.record(to: path)
            _ = ChainTask(1, name: "before the end")
            let reader = try TraceFileReader(path: path)
            // The events reach the file without a further call.
            while !reader.refresh() { sched_yield() }
            withExtendedLifetime(recording) { _ = kill(getpid(), SIGKILL) }
        }
        let reader = try TraceFileReader(path: path)
        #expect(!reader.isComplete)
        #expect(reader.damage.isEmpty)
        #expect(try names(path) == ["before the end"])
    }

    @Test func anUnwritableRecordingFailsAtOnce() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            try folder.write("precious", to: "letter.txt")
            for path in [folder.path("letter.txt"), folder.path("none/a.hop"), folder.path("")] {
                let error = #expect(throws: HopscopeError.self) { try Inspector.record(to: path) }
                #expect(error.map { "\($0)".hasSuffix(".") } == true)
            }
            #expect(folder.text("letter.txt") == "precious")
            #expect(!EventBus.isRecording)
        }
    }

    @Test("The folder of the user's state is the one that XDG names; a relative path counts as unset")
    func stateFolder() {
        #expect(KeptRecording.stateFolder(["XDG_STATE_HOME": "/state", "HOME": "/ann"]) == "/state/hopscope")
        for state in ["", "state", "./state"] {
            #expect(KeptRecording.stateFolder(["XDG_STATE_HOME": state, "HOME": "/ann"]) == "/ann/.local/state/hopscope")
        }
        #expect(KeptRecording.stateFolder(["HOME": "/ann"]) == "/ann/.local/state/hopscope")
    }
}

/// The names of a recording's tasks.
private func names(_ path: String) throws -> [String] {
    let history = TraceHistory(try TraceFileReader(path: path))
    history.loadAll()
    return history.store.rows.map { history.store[$0].label.name }
}
