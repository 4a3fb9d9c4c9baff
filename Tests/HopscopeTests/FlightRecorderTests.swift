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
            let recorder = try Inspector.startFlightRecorder(folder: folder.path)
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
            let recorder = try Inspector.startFlightRecorder(signal: SIGUSR2, folder: folder.path)
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
            let recorder = try Inspector.startFlightRecorder(folder: folder.path)
            _ = ChainTask(1, name: "first")
            let paths = [try recorder.write(), try recorder.write("again")]
            #expect(try paths.map { try names($0) } == [["first"], ["first"]])
            #expect(paths[0].hasSuffix("-asked.hop") && paths[1].hasSuffix("-again.hop"))
            recorder.stop()
            recorder.stop()
            #expect(throws: FlightRecorder.StoppedError.self) { try recorder.write() }
        }
    }

    @Test("A recording that cannot be written is an error, and the recorder goes on")
    func noFolder() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            try folder.write("a file", to: "taken")
            let recorder = try Inspector.startFlightRecorder(folder: folder.path("taken"))
            #expect(throws: (any Error).self) { try recorder.write() }
            try FileManager.default.removeItem(atPath: folder.path("taken"))
            #expect(throws: Never.self) { try recorder.write() }
            recorder.stop()
        }
    }

    /// How much of the recording's size a file may have, in percent: nothing, the recording's header, and the first of two blocks.
    @Test("A full disk leaves no recording without events, and the program is told", arguments: [0, 1, 80])
    func full(percent: Int) async throws {
        await passing(percent) {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let percent = try passed(Int.self)
                let folder = try ScratchFolder()
                let recorder = try Inspector.startFlightRecorder(folder: folder.path)
                for number in 0..<30_000 { _ = ChainTask(number, name: "task \(number % 50)") }
                let whole = try recorder.write("whole")
                let size = try #require(FileManager.default.attributesOfItem(atPath: whole)[.size] as? Int)
                try FileManager.default.removeItem(atPath: whole)
                Foundation.signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: rlim_t(size * percent / 100), rlim_max: rlim_t.max)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                let problem = #expect(throws: HopscopeError.self) { try recorder.write("full") }
                #expect(problem?.kind == .unavailable)
                #expect(problem?.description.contains("the file is as long as it may be") == true)
                recorder.stop()
                limit.rlim_cur = rlim_t.max
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(left.count == (percent < 50 ? 0 : 1))
                for name in left { #expect(try TraceFileReader(path: folder.path(name)).eventCount > 0) }
            }
            let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains("hopscope: The program asked for a recording. The recording “"))
        }
    }

    @Test("A folder that is a symbolic link gets no recording")
    func linked() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            try FileManager.default.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real")
            let recorder = try Inspector.startFlightRecorder(folder: folder.path("link") + "/")
            let problem = #expect(throws: HopscopeError.self) { try recorder.write() }
            #expect(problem?.kind == .refused)
            #expect(problem?.description.contains("it is a symbolic link") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("real")).isEmpty)
            recorder.stop()
        }
    }

    @Test("Unknown rules and queries are refused")
    func refusals() async throws {
        await #expect(processExitsWith: .success) {
            #expect(throws: HopscopeError.self) { try Inspector.startFlightRecorder(rules: ["no-such-rule"]) }
            #expect(throws: HopscopeError.self) { try Inspector.startFlightRecorder(query: "state:nonsense") }
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
