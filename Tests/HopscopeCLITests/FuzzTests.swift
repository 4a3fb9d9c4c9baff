import ArgumentParser
import CTraceLanes
import Foundation
import Hopscope
import InspectorTestKit
import InspectorUI
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTestKit
import TraceTransport

@testable import HopscopeCLI

/// Random inputs whose structure is right and whose contents are not. `make fuzz` goes on for minutes; every run tries a few.
///
/// `HostileRecordingTests` does the same for recordings.
@Suite(.serialized, .timeLimit(.minutes(120))) struct FuzzTests {
    // MARK: Regions

    /// A program emits while its region is overwritten, and an inspector reads the region and draws.
    @Test func liveRegions() throws {
        let folder = try ScratchFolder()
        try Fuzz.run("regions", cases: 10) { seed, random in
            let options = EventBus.Options(laneLimit: 4, laneCapacity: 255, entryLimit: 256, entryBytes: 1 << 14, program: "fuzzed")
            let bus = try EventBus(options, in: TraceDirectory(path: folder.path))
            bus.start()
            defer { bus.stop() }
            try bus.publish()
            let path = "\(folder.path)/\(bus.fileName)"
            let file = open(path, O_RDWR)
            defer { close(file) }
            guard let region = try? RegionFile(path: path) else { return }
            var merger = LaneMerger(source: region)
            let history = TraceHistory()
            var inspector = FuzzedInspector(history, &random)
            for _ in 0..<20 {
                emit(&random)
                if Int.random(in: 0..<3, using: &random) > 0 { damage(file, &random) }
                for _ in 0..<3 { history.apply(merger.round()) }
                if region.namesFound > 0 { history.apply(TraceBatch(source: region)) }
                history.advance(to: region.now)
                inspector.send(.traced)
                inspector.frames(2)
            }
            #expect(EventBus.isRecording)
            _ = try? RegionFile(path: path)
        }
    }

    private func emit(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            let task = TaskID(rawValue: UInt64.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let name = HostileTrace.names.randomElement(using: &random)!
                let label = Emit.label(name: name + "\(task.rawValue)", or: "", fileID: "App/main.swift", line: 3)
                Emit.created(task, kind: .root, label: label)
            case 1: Emit.started(task, on: .none, .inline)
            case 2: Emit.resumed(task)
            case 3: Emit.completed(task)
            default: Emit.mark("mark")
            }
        }
    }

    /// Changes a number of the header, of the lanes' headers, of the names, or of the records; rarely, the file's length.
    private func damage(_ file: Int32, _ random: inout SeededGenerator) {
        var number = ExtremeNumbers.all.randomElement(using: &random)!
        let areas = [0..<600, 4096..<4096 + 512, 8192..<12_288, 12_288..<12_288 + 16_384, 28_672..<28_672 + 8192]
        let index = Int.random(in: areas.randomElement(using: &random)!, using: &random)
        let width = [1, 2, 4, 8].randomElement(using: &random)!
        pwrite(file, &number, width, off_t(index / width * width))
    }

    // MARK: Control messages

    @Test func controlMessages() throws {
        let folder = try ScratchFolder()
        let directory = try TraceDirectory(path: folder.path)
        let server = try ControlServer(in: directory, region: "1-program.hoplanes") { _ in .done("Done.") }
        defer { server.stop() }
        let condition = JobCondition([.init(.any, isPart: true, ["save"]), .init(.executor, isNegated: true, ["m*n"])])
        let known: [Control] = [
            .ping, .mark("here"), .hold(.all), .hold(.executor(ExecutorID(rawValue: 7))), .open(.all), .step(.all),
            .stepInto(chain: TaskID(rawValue: 3)), .runToFault, .runToMainHop, .runTo(condition), .cancel(TaskID(rawValue: 3)),
            .fault(TaskID(rawValue: 4), message: "no network"),
        ]
        try Fuzz.run("control messages", cases: 60) { _, random in
            let connection = try ControlConnection(in: directory, region: "1-program.hoplanes")
            for _ in 0..<20 {
                var bytes = known.randomElement(using: &random)!.bytes
                for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&bytes, &random) }
                if let control = Control(bytes: bytes) { #expect(Control(bytes: control.bytes) == control) }
                if let answer = ControlAnswer(bytes: bytes) { #expect(ControlAnswer(bytes: answer.bytes) == answer) }
                guard !bytes.isEmpty else { continue }
                #expect(try !connection.exchange(bytes).sentence.isEmpty)
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1 where index < bytes.count: bytes.removeSubrange(index...)
        case 2: bytes.insert(contentsOf: (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) }, at: index)
        default: bytes.insert(contentsOf: repeatElement(0x41, count: Int.random(in: 0...6000, using: &random)), at: index)
        }
    }

    // MARK: Keys

    /// Keys, mouse, pasted text and sizes, while a program runs, after it has ended, and in a recording.
    @Test func keys() throws {
        let folder = try ScratchFolder()
        try Fuzz.run("keys", cases: 10) { seed, random in
            let count = [0, 1, 3, 30, 120].randomElement(using: &random)!
            var trace = RandomTrace(seed: seed, tasks: count, isComplete: Bool.random(using: &random)).trace
            if Int.random(in: 0..<8, using: &random) == 0 { trace = HostileTrace.make() }
            let isRecording = Bool.random(using: &random)
            let history = try isRecording ? recorded(trace, in: folder) : TraceHistory()
            if !isRecording { history.latest.entries = trace.entries }
            var inspector = FuzzedInspector(history, &random)
            var taken = 0
            for _ in 0..<80 {
                if !isRecording, taken < trace.events.count, Int.random(in: 0..<4, using: &random) == 0 {
                    let end = min(trace.events.count, taken + Int.random(in: 1...60, using: &random))
                    history.apply(TraceBatch(events: Array(trace.events[taken..<end]), lanes: Array(trace.lanes[taken..<end])))
                    taken = end
                    inspector.send(.traced)
                }
                inspector.act(&random)
            }
            #expect(inspector.frameCount > 0)
        }
    }

    /// Several inputs before a frame, from every screen: what the last frame has laid out no longer fits what the keys have changed.
    @Test func keysBeforeAFrame() throws {
        let folder = try ScratchFolder()
        try Fuzz.run("keys before a frame", cases: 4) { seed, random in
            let count = [1, 3, 30, 120].randomElement(using: &random)!
            let isHostile = Int.random(in: 0..<8, using: &random) == 0
            let ordinary = RandomTrace(seed: seed, tasks: count, isComplete: Bool.random(using: &random)).trace
            let trace = isHostile ? HostileTrace.make() : ordinary
            let inspector = FuzzedInspector(try recorded(trace, in: folder), &random)
            for _ in 0..<8 {
                var settled = inspector
                settled.settle(&random)
                for _ in 0..<12 {
                    var copy = settled
                    // The copies share the trace's history, in which the last one may have moved.
                    copy.frames(1)
                    copy.burst(&random)
                    #expect(copy.frameCount > settled.frameCount)
                }
            }
        }
    }

    private func recorded(_ trace: TraceBuilder, in folder: ScratchFolder) throws -> TraceHistory {
        let path = folder.path("fuzz.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "fuzzed", pid: 1, startRealtime: 0))
        writer.write(trace.entries)
        try writer.write(trace.batch)
        try writer.finish()
        let history = TraceHistory(try TraceFileReader(path: path))
        if trace.events.count % 2 == 0 { history.loadAll() }
        return history
    }

    // MARK: Texts

    @Test func queries() throws {
        let words = [
            "state:", "faulted", "on:", "main", "name~", "total>", "10ms", "waits:", "lock", "chain:", "task:", "kind:", "root", "warning:",
            "hops>=", "error~", "-state:", "created<", "busy", "\"a b\"", "1,2,3", "where:", "live", "queued>1us",
        ]
        try Fuzz.run("queries", cases: 10) { seed, random in
            let history = TraceHistory()
            let trace = RandomTrace(seed: seed % 7, tasks: 40, isComplete: false).trace
            history.latest.entries = trace.entries
            history.apply(trace.batch)
            var inspector = FuzzedInspector(history, &random)
            for _ in 0..<6 {
                let text = HostileText.make(words, &random)
                do { _ = try TaskQuery(text) } catch { #expect(!"\(error)".isEmpty) }
                inspector.type(text, after: [.character("1"), .character("/")])
                inspector.type("run to " + text, after: [.character(":")])
                inspector.type(text, after: [.character("8"), .character("/")])
            }
        }
    }

    @Test func settingsFiles() throws {
        let words = [
            "[warnings]", "[warnings.thresholds]", "\n", "\n", "off", "suppress", "main", " = ", "main-stall", "\"hop-bounce\"",
            "fan-out = ",
            "slow-start", "\"50ms\"", "[tasks]", "sort", "\"state\"", "reversed", "columns", "hidden", "theme = ", "\"dark\"", "group",
            "[\"name\"]",
            "unobserved-fault@save",
        ]
        try Fuzz.run("settings files", cases: 150) { seed, random in
            let text = (0..<6).map { _ in HostileText.make(words, &random) }.joined(separator: "\n")
            do {
                let settings = try SettingsFile(text: text).warnings
                let store = RandomTrace(seed: seed % 5, tasks: 30).trace.store()
                _ = WarningEngine(settings: settings).list(in: store, isOver: true)
            } catch {
                #expect("\(error)".hasSuffix("."))
            }
            let folder = try ScratchFolder()
            try FileManager.default.createDirectory(atPath: folder.path("hopscope"), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("hopscope/config.toml")))
            let user = UserSettings(environment: ["XDG_CONFIG_HOME": folder.path])
            if let settings = try? user.read() {
                let terminal = ScriptedTerminal(size: Size(columns: 70, rows: 20), inputs: [.key(.character("q"))])
                let session = InspectorSession(
                    terminal: terminal, source: SilentTrace(), history: TraceHistory(), program: "p", settings: settings, clock: { 0 })
                session.run()
                user.write(settings)
                #expect(try user.read() == settings)
            }
        }
    }

    @Test func options() throws {
        let words = [
            "demo", "run", "list", "attach", "record", "replay", "report", "check", "export", "screen", "--", "-o", "out.hop", "--format",
            "json",
            "--to", "perfetto", "--view", "tasks", "--size", "80x24", "--at", "3", "--press", "j", "--theme", "--fail-on", "none",
            "--require",
            "main-stall", "--tasks", "--speed", "--path", "--hold", "--no-ui", "--record", "--report", "text", "--process", "a*", "--help",
            "--version", "--threshold", "fan-out=3", "--suppress", "--main", "kinesis-success", "load",
        ]
        try Fuzz.run("options", cases: 150) { _, random in
            let arguments = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Int.random(in: 0..<4, using: &random) > 0 ? words.randomElement(using: &random)! : HostileText.make(words, &random)
            }
            do {
                _ = try HopscopeCommand.parseAsRoot(arguments)
            } catch {
                #expect([0, 64].contains(HopscopeCommand.exitCode(for: error).rawValue) || error is UserError, "\(arguments)")
            }
        }
    }
}

/// A trace without events.
private final class SilentTrace: TraceSource {
    let now: UInt64 = 0
    let hasEnded = false
    func take() -> [TraceBatch] { [] }
}
