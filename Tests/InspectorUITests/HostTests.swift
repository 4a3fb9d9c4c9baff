import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The loop with a program that the inspector has started: its output, its keys, its processes.
@Suite struct HostTests {
    private final class Source: TraceSource {
        var batches: [TraceBatch]
        var now: UInt64 = 5
        var hasEnded = false

        init(_ trace: TraceBuilder) { batches = [TraceBatch(events: trace.events, lanes: trace.lanes, source: NamedLanes(trace.entries))] }

        func take() -> [TraceBatch] {
            defer { batches = [] }
            return batches
        }
    }

    private final class Program: InspectedProgram {
        var output: [UInt8] = []
        var typed: [UInt8] = []
        var sizes: [Size] = []
        var processes: [ProgramProcess] = []
        var hasEnded = false
        var watched: [Int32] = []
        var trace = TraceBuilder()

        func takeOutput() -> [UInt8] {
            defer { output = [] }
            return output
        }
        func type(_ bytes: [UInt8]) { typed += bytes }
        func resize(to size: Size) { sizes.append(size) }
        func source(of process: ProgramProcess) -> (any TraceSource)? {
            watched.append(process.pid)
            return Source(process.pid == 1 ? SampleTraces.kinesis : trace)
        }
    }

    private final class Clock {
        var now: UInt64 = 1_000_000_000
    }

    private let terminal = ScriptedTerminal(size: Size(columns: 80, rows: 24))
    private let program = Program()
    private let clock = Clock()
    private let inspector: InspectorSession

    init() {
        inspector = InspectorSession(
            terminal: terminal, source: SilentSource(program), history: TraceHistory(), program: "tests", host: program
        ) { [clock] in clock.now }
    }

    private func pass(_ inputs: TerminalInput..., milliseconds: UInt64 = 250) -> Bool {
        terminal.inputs += inputs
        clock.now += milliseconds * 1_000_000
        return inspector.turn()
    }

    @Test func whatIsPrintedIsShownAndWhatIsTypedIsSent() {
        #expect(program.sizes == [Size(columns: 80, rows: 19)])
        program.output = Array("who are you? ".utf8)
        #expect(pass(.key(.character("8"))))
        #expect(terminal.shown?.lines()[2].hasPrefix("who are you?") == true)
        #expect(pass(.key(.enter), .key(.character("A")), .key(.enter), .resize(Size(columns: 90, rows: 30))))
        #expect(program.typed == [0x41, 0x0D])
        #expect(program.sizes.last == Size(columns: 90, rows: 25))
    }

    @Test func controlCInterruptsTheProgramThatGetsTheKeys() {
        #expect(pass(.key(.character("8")), .key(.enter), .interrupt))
        #expect(program.typed == [0x03])
        #expect(pass(.key(.control("]"))))
        #expect(!pass(.interrupt))
        #expect(inspector.endingSignal == 2)
        #expect(program.typed == [0x03])
    }

    @Test func theFirstProcessIsShownUntilABusierOneAppears() {
        #expect(pass())
        #expect(inspector.model.shared.program.shownProcess == nil)
        program.processes = [ProgramProcess(pid: 1, name: "swift-test", eventCount: 5)]
        #expect(pass())
        #expect(pass())
        #expect(program.watched == [1])
        #expect(inspector.model.store.taskCount == 13)
        program.processes.insert(ProgramProcess(pid: 2, name: "xctest", eventCount: 50), at: 0)
        #expect(pass())
        #expect(program.watched == [1, 2])
        #expect(inspector.model.shared.program.name == "xctest")
        #expect(inspector.model.store.taskCount == 0)
    }

    @Test("A guide's mark begins a scene, and any other mark is an event like others", arguments: [MarkManner.guide, .note])
    func scenes(manner: MarkManner) {
        program.trace.mark("Scene 1 of 2, one: the first", manner)
        program.trace.advance(milliseconds: 5)
        program.trace.mark("Scene 2 of 2, two: the second", manner)
        program.processes = [ProgramProcess(pid: 2, name: "demo", eventCount: 2)]
        for _ in 1...3 { #expect(pass()) }
        let shared = inspector.model.shared
        #expect(shared.scene == (manner == .guide ? "Scene 2 of 2, two: the second" : nil))
        #expect(shared.program.scene(at: 1_000_000) == (manner == .guide ? "Scene 1 of 2, one: the first" : nil))
    }

    @Test func aProgramWithoutTasksEndsTheTrace() {
        program.output = Array("out".utf8)
        program.hasEnded = true
        #expect(pass())
        #expect(pass())
        #expect(inspector.model.shared.program.hasEnded)
        #expect(inspector.model.output.isOver == true)
        #expect(pass(.key(TasksScreen.name.key)))
        #expect(terminal.shown?.lines().contains { $0.contains("ended without making a task") } == true)
    }

    @Test func aProgramThatEndsAnswersTheQuestionWhatBecomesOfIt() {
        #expect(pass(.key(.character("q"))))
        #expect(terminal.shown?.lines().contains { $0.contains("The program still runs.") } == true)
        program.hasEnded = true
        #expect(!pass())
    }
}
