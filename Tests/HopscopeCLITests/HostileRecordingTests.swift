import CTraceLanes
import Foundation
import InspectorUI
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceExport
import TraceReport
import TraceStore
import TraceTestKit
import TraceTransport

@testable import HopscopeCLI
@testable import TraceFile

/// Recordings whose checksums hold and whose numbers are extreme: every command reads them or refuses them, and none traps.
@Suite(.timeLimit(.minutes(120))) struct HostileRecordingTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test("Extreme numbers in events trap no command")
    func extremeEvents() throws {
        var read = 0
        var written = 0
        try Fuzz.run("recordings: events", cases: 8) { seed, random in
            let trace = RandomTrace(seed: seed, tasks: 60).trace
            var batch = TraceBatch(events: trace.events, lanes: trace.lanes)
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                mutate(&batch.events[Int.random(in: 0..<batch.events.count, using: &random)], &random)
            }
            let path = try write(batch, trace.entries)
            written += 1
            read += try use(path, &random) ? 1 : 0
        }
        #expect(read == written, "the writer's files are whole")
    }

    /// Sums of times overflow although each time is within its bounds.
    @Test("Very many tasks that last as long as a trace can trap no command")
    func longTasks() throws {
        var trace = TraceBuilder()
        let executor = trace.executor("pool", .pool)
        let tasks = (0..<600).map { trace.root("task \($0)", on: executor) }
        for task in tasks { trace.enqueue(task) }
        trace.advance(nanoseconds: 1 << 60)
        for (index, task) in tasks.enumerated() {
            trace.lane = UInt16(index)
            trace.start(task)
        }
        trace.advance(nanoseconds: 1 << 62)
        for task in tasks {
            trace.complete(task)
            trace.endJob(task)
        }
        var random = SeededGenerator(seed: 1)
        #expect(try use(write(trace.batch, trace.entries), &random))
    }

    @Test("Very many runs that last as long as a trace can trap no command", arguments: [false, true])
    func longRuns(areOpen: Bool) throws {
        var trace = TraceBuilder()
        let executor = trace.executor("pool", .pool)
        let tasks = (0..<300).map { trace.create(.unstructured, "task \($0)", on: executor) }
        let blocks = (0..<300).map { _ in trace.block("load()", on: executor) }
        for (index, task) in (tasks + blocks).enumerated() {
            trace.lane = UInt16(index)
            trace.start(task, .slice, on: executor)
        }
        trace.advance(nanoseconds: 1 << 62)
        for (index, task) in (tasks + blocks).enumerated() where !areOpen {
            trace.lane = UInt16(index)
            trace.complete(task)
        }
        trace.mark("the end")
        var random = SeededGenerator(seed: 2)
        #expect(try use(write(trace.batch, trace.entries), &random))
    }

    @Test("A task whose times step from the trace's start to its end and back trap no command")
    func steppingTimes() throws {
        var trace = TraceBuilder()
        let (main, actor) = (trace.executor("main", .main), trace.executor("actor", .actor))
        let task = trace.create(.unstructured, "task")
        trace.start(task, .slice, on: actor)
        let first = trace.events.count
        for _ in 0..<300 {
            trace.suspend(task, .continuation)
            trace.resume(task)
            trace.beginWait(for: .none, by: task)
            trace.endWait(for: .none, by: task)
            trace.hop(task, from: actor, to: main)
            trace.start(task, .slice, on: main)
            trace.hop(task, from: main, to: actor)
            trace.start(task, .slice, on: actor)
        }
        var batch = trace.batch
        for index in batch.events.indices.dropFirst(first) { batch.events[index].record.time = index % 2 == first % 2 ? 0 : 1 << 62 }
        var random = SeededGenerator(seed: 3)
        #expect(try use(write(batch, trace.entries), &random))
    }

    @Test("Extreme numbers in headers, blocks, indexes and names with valid checksums trap no command")
    func extremeBlocks() throws {
        var read = 0
        try Fuzz.run("recordings: blocks", cases: 12) { seed, random in
            let trace = RandomTrace(seed: seed, tasks: 40).trace
            let path = try write(trace.batch, trace.entries)
            var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutateBlock(of: &bytes, &random) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            read += try use(path, &random) ? 1 : 0
        }
        #expect(read > 0)
    }

    // MARK: Mutations

    private func mutate(_ event: inout TaskEvent, _ random: inout SeededGenerator) {
        let number = ExtremeNumbers.all.randomElement(using: &random)!
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: event.record.time = number
        case 2: event.record.task = number
        case 3: event.record.other = number
        case 4: event.record.executor = UInt16(truncatingIfNeeded: number)
        case 5: event.record.label = UInt32(truncatingIfNeeded: number)
        case 6: event.record.detail = UInt8.random(in: 0...255, using: &random)
        default: event.record.kind = UInt8.random(in: 0...40, using: &random)
        }
    }

    private func mutateBlock(of bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let number = ExtremeNumbers.all.randomElement(using: &random)!
        bytes.withUnsafeMutableBytes { bytes in
            let blocks = stride(from: 0, to: bytes.count - TraceFileBlock.size, by: 8).compactMap {
                TraceFileBlock(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[$0...]), at: $0)
            }
            guard let block = blocks.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 0 else {
                bytes.store64(24, number)
                return TraceFileHeader.setVersion(TraceFileHeader.version, in: bytes)
            }
            if Bool.random(using: &random), block.payloadSize >= 8, block.end <= bytes.count {
                let word = Int.random(in: 0..<block.payloadSize / 8, using: &random)
                bytes.store64(block.offset + TraceFileBlock.size + 8 * word, number)
            } else if let field = [16, 32, 40, 48, 56, 64].randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0 {
                bytes.store64(block.offset + field, number)
            } else {
                bytes.store32(block.offset + 12, UInt32(truncatingIfNeeded: number))
            }
            let whole = UnsafeRawBufferPointer(bytes)
            let payload = whole[(block.offset + TraceFileBlock.size)..<min(block.end, whole.count)]
            bytes.store32(block.offset + 72, TraceFileChecksum.of(UnsafeRawBufferPointer(rebasing: payload)))
            let header = whole[block.offset..<block.offset + 76]
            bytes.store32(block.offset + 76, TraceFileChecksum.of(UnsafeRawBufferPointer(rebasing: header)))
        }
    }

    // MARK: Writing and using

    private func write(_ batch: TraceBatch, _ entries: EntryTable) throws -> String {
        let path = folder.path("hostile.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "hostile", pid: 1, startRealtime: 1 << 60))
        writer.write(entries)
        try writer.write(batch)
        try writer.finish()
        return path
    }

    /// Reads a recording, writes every report and export, and draws every screen while keys are pressed. False if it was refused.
    private func use(_ path: String, _ random: inout SeededGenerator) throws -> Bool {
        guard let trace = try? OpenedTrace(path: path) else { return false }
        let reading = trace.read(time: TimeSource())
        var sink = Sink()
        let report = Report(of: reading.store, program: trace.program, warnings: reading.warnings)
        for format in ReportFormat.allCases { report.write(format, to: &sink) }
        for format in ExportFormat.allCases where !format.needsProfile {
            Exporter(
                of: reading.store, program: trace.program, startedAt: trace.startRealtime,
                events: reading.events(ProgressLine("Writing", isQuiet: true, TimeSource()))
            ).write(format, to: &sink)
        }
        explain(reading)
        try askTools(path, reading, &random)
        let keys: [Key] =
            "jkhlnp,.[]{}<>+-=sSoOzZgw/ 1".map { .character($0) } + [.enter, .escape, .pageDown, .pageUp, .home, .end, .up, .down, .tab]
        let sizes = [Size(columns: 120, rows: 40), Size(columns: 61, rows: 17)]
        for screen in ScreenList.names {
            let picture = ScreenPicture(
                of: reading.history, program: trace.program, end: trace.sawExit ? .exit : .cut, size: sizes.randomElement(using: &random)!,
                settings: WarningSettings())
            let pressed = (0..<8).map { _ in keys.randomElement(using: &random)! }
            let event = Bool.random(using: &random) ? nil : Int.random(in: 0...reading.history.eventCount, using: &random)
            _ = picture.draw(screen, at: event, pressing: pressed)
        }
        return true
    }

    /// Asks each tool of `hopscope mcp` that looks at a recording.
    private func askTools(_ path: String, _ reading: TraceReading, _ random: inout SeededGenerator) throws {
        let task = Array(reading.store.rows).randomElement(using: &random).map { reading.store[$0].id.rawValue }
        let number = Int(exactly: task ?? 1).flatMap { $0 > 0 ? $0 : nil } ?? 1
        for tool in AgentTools.all(WarningSettings(), allowsControl: false, time: TimeSource()) where tool.name != "processes" {
            let more = tool.name == "task" ? [JSONValue.Field(key: "task", value: .integer(number))] : []
            let arguments = try ToolArguments([.init(key: "target", value: .string(path))] + more, of: tool)
            let text = (try? tool.answer(arguments, ToolCall()))?.text ?? ""
            #expect(text.utf8.count <= AgentAnswer.limit)
        }
    }

    /// Explains where the time of some tasks went, and predicts what changes would do.
    private func explain(_ reading: TraceReading) {
        let steps = reading.steps(ProgressLine("Reading", isQuiet: true, TimeSource()))
        let analysis = TimeAnalysis(reading.store, steps)
        for row in reading.store.rows.prefix(20) { _ = analysis.explanation(of: reading.store[row]) }
        for text in ["pool width 1", "task 0 1e300x slower", "task 1 1e300x faster", "task 2 2x slower"] {
            guard let change = Change(text) else { continue }
            _ = try? WhatIf(change, reading.store, steps)
        }
    }

    private struct Sink: TextOutputStream {
        mutating func write(_ string: String) {}
    }
}
