import CProbeInjection
import CodeSymbols
import Foundation
import RemoteTasks
import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import ProbeInjection

/// The probe in programs that run.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InjectionTests {
    /// The state that a trace folds into.
    private static func store(of region: RegionFile) -> TraceStore {
        let store = TraceStore()
        var merger = LaneMerger(source: region)
        merger.drain { store.apply($0) }
        region.copyEntries(to: &store.entries)
        return store
    }

    private static func lastTask(of region: RegionFile) -> UInt64 {
        let store = store(of: region)
        return store.rows.map { store[$0].id.rawValue }.max() ?? 0
    }

    /// The tasks after a number by their kinds and states.
    private static func counts(_ store: TraceStore, after number: UInt64) -> [String: Int] {
        let tasks = store.rows.map { store[$0] }.filter { $0.id.rawValue > number && !$0.isSynthesised }
        return Dictionary(tasks.map { ("\($0.kind) \($0.state)", 1) }, uniquingKeysWith: +)
    }

    /// Requests of each kind. All tasks have ended afterwards.
    private static func makeRequests(_ program: LiveProgram) throws {
        for _ in 1...5 { #expect(try program.ask("work") == "answer 6") }
        #expect(try program.ask("hold") == "held")
        #expect(try program.ask("fail") == "failed")
        #expect(try program.ask("work") == "answer 6")
        #expect(try program.ask("release") == "released")
    }

    @Test("From its loading on, a loaded probe records the tasks that a preloaded one does, and the program answers as before")
    func recordsAsPreloaded() async throws {
        let program = try LiveProgram(.requests)
        #expect(try program.ask("work") == "answer 6")
        #expect(try program.ask("hold") == "held")
        try #require(await eventually { Self.waiting(in: program) == 2 })
        let injection = try Injection.whenNotBusy(into: program.pid, library: ProbeFile.path())
        #expect(injection.region.hasPrefix(program.traces) && injection.stop > 0)
        #expect(injection.adopt(TimeSource()) == "The 2 tasks that it had before are in the trace.")
        injection.serve()
        let region = try RegionFile(path: injection.region)
        try Self.expectAdopted(in: region)
        #expect(try program.ask("release") == "released")
        #expect(await eventually { Self.adopted(Self.store(of: region)).contains { $0.state == .succeeded } })
        try Self.makeRequests(program)

        let twin = try LiveProgram(.requests, environment: ["LD_PRELOAD": ProbeFile.path()])
        #expect(try twin.ask("work") == "answer 6")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: twin.traces).first { $0.hasSuffix(".hoplanes") })
        let twinRegion = try RegionFile(path: "\(twin.traces)/\(name)")
        let last = Self.lastTask(of: twinRegion)
        try Self.makeRequests(twin)
        #expect(await eventually { Self.counts(Self.store(of: twinRegion), after: last) == Self.counts(Self.store(of: region), after: 0) })
        #expect(Self.counts(Self.store(of: region), after: 0) == Self.counts(Self.store(of: twinRegion), after: last))
        #expect(try program.finish() == 0)
        #expect(region.writer == .ended)
    }

    /// The tasks of a program that wait for a continuation.
    private static func waiting(in program: LiveProgram) -> Int {
        (try? Snapshot(of: RemoteProcess(pid: program.pid)))?.tasks.count { $0.state == .suspended && $0.wait == .continuation } ?? 0
    }

    private static func adopted(_ store: TraceStore) -> [TaskView] {
        store.rows.map { store[$0] }.filter(\.isAdopted)
    }

    /// Main, which awaits the next line, and a task that nothing has released yet: each with its name, its wait and the place of it.
    private static func expectAdopted(in region: RegionFile) throws {
        let store = store(of: region)
        store.entries.learn(Symbolizer().symbols(of: store.entries.unknownAddresses()))
        let tasks = adopted(store)
        try #require(tasks.count == 2)
        #expect(tasks.allSatisfy { $0.state == .suspended && $0.isSynthesised && $0.created == nil && $0.kind == .unstructured })
        #expect(tasks.map(\.label.name) == ["main", "Requests.main() Requests.swift:100"])
        #expect(tasks.map { store.calls(of: $0.awaitedCalls).first?.function } == ["static Requests.main()", "Counter.hold()"])
    }

    /// The call, how the program is woken, and the result that it must see.
    static let calls = [
        ("nanosleep", 35, Int32?.none, false, 0), ("sigsuspend", 130, SIGUSR1, false, -4), ("pause", 34, SIGUSR1, false, -4),
        ("poll", 7, nil, true, 1), ("ppoll", 271, nil, true, 1), ("epoll", 232, nil, true, 1),
    ]

    @Test("A thread that was stopped has the same registers and signal mask, and its system call goes on", arguments: calls)
    func keepsTheThread(_ name: String, number: Int, signal: Int32?, input: Bool, result: Int) async throws {
        let program = try LiveProgram(.calls, [name])
        let process = try RemoteProcess(pid: program.pid)
        let functions = try InjectionCheck.functions(of: process)
        try program.tell("go")
        // The library does not exist: the loader says so, and nothing else changes.
        // The kernel begins some calls again under another number, which does not tell whether the thread is safe.
        let keepsNumber = name != "nanosleep" && name != "poll"
        for _ in 1...(keepsNumber ? 2 : 1) {
            try #require(await eventually { program.calls.contains(number) })
            let begun = withUnsafePointer(to: functions) { injection_begin(program.pid, "/nowhere/probe.so", $0) }
            try #require(begun.problem == injection_fine && begun.stop > 0, "\(begun)")
            let found = UnsafeMutablePointer<trace_injection>.allocate(capacity: 1)
            defer { found.deallocate() }
            try #require(
                await eventually {
                    injection_read(program.pid, begun.record, found) && found.pointee.state == TRACE_INJECTION_NOT_LOADED.rawValue
                })
            #expect(withUnsafeBytes(of: found.pointee.sentence) { String(decoding: $0, as: UTF8.self) }.contains("/nowhere/probe.so"))
            #expect(injection_order(program.pid, begun.record, TRACE_INJECTION_LEAVE.rawValue))
            // The memory and the thread are gone.
            #expect(await eventually { !injection_read(program.pid, begun.record, found) && program.threads == 1 })
        }
        if let signal { kill(program.pid, signal) }
        if input { try program.tell("wake") }
        let mask = name == "sigsuspend" ? 1 : 0
        #expect(try program.line() == "registers same vectors same mask \(mask) short 0 result \(result)")
    }
}
