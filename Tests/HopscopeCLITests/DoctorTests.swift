import Foundation
import Testing
import TraceTestKit

/// `hopscope doctor`: true sentences about the machine and about programs, which it does not run.
@Suite(.timeLimit(.minutes(3)))
struct DoctorTests {
    private static func doctor(_ program: String? = nil, _ variables: [String: String] = [:]) async throws -> FinishedProcess {
        let settings = variables.map { "\($0)=\($1)" }.sorted()
        return try await FinishedProcess.run(["env"] + settings + [Hopscope.path, "doctor"] + (program.map { ["--", $0] } ?? []))
    }

    /// The lines below a heading, without their indentation.
    private static func lines(_ output: String, below heading: String) -> [String] {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.drop { !$0.hasPrefix(heading) }.dropFirst().prefix { !$0.isEmpty }.map { String($0.drop { $0 == " " }) }
    }

    @Test("On a machine with a toolchain, the probe sees all of its runtime")
    func machine() async throws {
        let doctor = try await Self.doctor()
        #expect(doctor.status == 0)
        #expect(doctor.errors == "")
        #expect(Self.lines(doctor.output, below: "Toolchain").first?.contains("Swift version") == true)
        let probe = Self.lines(doctor.output, below: "Probe")
        #expect(probe.contains { $0.hasPrefix("library") && $0.hasSuffix("/libhopscope-probe.so") })
        #expect(probe.contains { $0.hasPrefix("seen") && $0.contains("continuations") })
        #expect(!probe.contains { $0.hasPrefix("not seen") })
        #expect(Self.lines(doctor.output, below: "Rights").count >= 3)
    }

    @Test("A trial of the toolchain's runtime proves routes and a snapshot")
    func trial() async throws {
        let doctor = try await FinishedProcess.run([Hopscope.path, "doctor", "--trial"])
        let lines = Self.lines(doctor.output, below: "Trial")
        // Whether a value is there before it is awaited, and so read late, depends on the machine's speed.
        let proven = lines.first ?? ""
        #expect(proven.hasPrefix("proven "), "\(lines)")
        for route in ["created", "names", "queues", "slices", "ends", "thrown"] { #expect(proven.contains(route), "\(lines)") }
        #expect(lines.contains("snapshot     proven: tasks, names, waits, parents, groups"), "\(lines)")
    }

    @Test(
        "A trial of a runtime with other kinds of waits proves them neither from outside nor in the program",
        .enabled(if: RuntimeCopy.changesCode))
    func trialOfOtherKinds() async throws {
        let other = try RuntimeCopy(.dependencyKind(3, as: 9))
        let settings = other.environment.map { "\($0)=\($1)" }
        let doctor = try await FinishedProcess.run(["env"] + settings + [Hopscope.path, "doctor", "--trial"])
        let lines = Self.lines(doctor.output, below: "Trial")
        #expect(lines.contains { $0.hasPrefix("not proven") && $0.contains("why tasks suspend") }, "\(lines)")
        #expect(lines.contains("snapshot     not proven: the tasks are found, but not all that they wait for"), "\(lines)")
    }

    @Test("It leaves nothing in the folder for temporary files, though Swift's driver does")
    func leavesNothing() async throws {
        let folder = try ScratchFolder()
        let doctor = try await Self.doctor(nil, ["TMPDIR": folder.path])
        #expect(doctor.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix("hopscope-\(getuid())") } == [])
    }

    @Test("Without a terminal it names the commands that need none")
    func noTerminal() async throws {
        let doctor = try await Self.doctor(nil, ["TERM": "no-such-terminal", "LANG": "C"])
        let lines = Self.lines(doctor.output, below: "Terminal")
        #expect(lines.first?.hasSuffix("none: standard input or output is redirected") == true)
        #expect(lines.contains { $0.hasPrefix("-> 'run' and 'demo' print a report then") })
        #expect(lines.contains { $0.contains("no-such-terminal, which the terminfo database does not have") })
        #expect(lines.contains { $0.contains("ASCII") })
        #expect(doctor.output.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("Without a toolchain it says what is missing, and the rest is as before")
    func noToolchain() async throws {
        let doctor = try await FinishedProcess.run(["/bin/sh", "-c", "PATH= exec \"$0\" doctor", Hopscope.path])
        #expect(doctor.status == 0)
        let lines = Self.lines(doctor.output, below: "Toolchain")
        #expect(lines.count == 1 && lines.first?.contains("none in PATH") == true)
        #expect(Self.lines(doctor.output, below: "Probe").count == 1)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var program: WatchedProgram
        /// Parts of what is said of it.
        var parts: [String]

        var testDescription: String { "\(program)" }
    }

    static let cases = [
        Case(program: .swift, parts: ["with Swift's runtime as shared libraries", "'hopscope run' preloads it", "seen         created"]),
        Case(program: .stripped, parts: ["with Swift's runtime as shared libraries", "seen         created"]),
        Case(program: .withRuntime, parts: ["with Swift's runtime in it", "not loaded", "HopscopeStaticProbe"]),
        Case(program: .withEverything, parts: ["loads no shared libraries", "not loaded", "HopscopeStaticProbe"]),
        Case(program: .holdsProbe, parts: ["with Swift's runtime in it", "linked into it", "seen         created"]),
        Case(program: .forks, parts: ["a program of another language", "not loaded"]),
        Case(program: .staticForks, parts: ["a program of another language that loads no shared libraries", "not loaded"]),
        Case(program: .script, parts: ["a script"]),
        Case(program: .notExecutable, parts: ["it cannot be run"]),
        Case(program: .broken, parts: ["another kind of processor"]),
    ]

    @Test("Of a program it says how the probe gets in and what is seen, and does not run it", arguments: cases)
    func program(_ each: Case) async throws {
        _ = try WatchedProgram.swift.path()
        let path = try each.program.path()
        let folder = try ScratchFolder()
        let doctor = try await Self.doctor(path, ["WATCHED_RUNS": folder.path("runs")])
        #expect(doctor.status == 0)
        #expect(doctor.errors == "")
        let lines = Self.lines(doctor.output, below: "Program \(path)")
        for part in each.parts { #expect(lines.contains { $0.contains(part) }, "\(part): \(lines)") }
        #expect(!doctor.output.contains("did ") && !FileManager.default.fileExists(atPath: folder.path("runs")))
    }

    @Test("The preloaded probe needs the C library only, because every program that the observed one starts loads it too")
    func needs() async throws {
        let probe = URL(fileURLWithPath: Hopscope.path).deletingLastPathComponent().appendingPathComponent("libhopscope-probe.so").path
        let listed = try await FinishedProcess.run(["env", "LD_PRELOAD=\(probe)", "LD_TRACE_LOADED_OBJECTS=1", "/bin/true"]).output
        let names = listed.split(separator: "\n").compactMap { $0.split(separator: " ").first?.split(separator: "/").last }
        let known = ["linux-vdso", "libhopscope-probe", "libc.so", "ld-linux"]
        #expect(names.contains("libhopscope-probe.so"))
        #expect(names.allSatisfy { name in known.contains { name.trimmingPrefix("\t").hasPrefix($0) } }, "\(names)")
    }

    @Test("No such program is a fact and no error")
    func nothing() async throws {
        let doctor = try await Self.doctor("/nowhere/program")
        #expect(doctor.status == 0)
        #expect(Self.lines(doctor.output, below: "Program").contains { $0.contains("there is no such program") })
        #expect(try await FinishedProcess.run([Hopscope.path, "doctor", "--"]).status == 64)
    }

    @Test("Of a stripped runtime it says what is not seen, of an unknown one that nothing is")
    func runtimes() async throws {
        let path = try WatchedProgram.swift.path()
        let stripped = try RuntimeCopy(.stripped)
        let seen = Self.lines(try await Self.doctor(path, stripped.environment).output, below: "Program")
        #expect(seen.contains { $0 == "not seen     some cancellations; continuations that are never resumed" }, "\(seen)")
        let unknown = try RuntimeCopy(.without("_swift_concurrency_debug_internal_layout_version"))
        let unseen = Self.lines(try await Self.doctor(path, unknown.environment).output, below: "Program")
        #expect(unseen.contains { $0.contains("nothing of Swift's tasks") })
        #expect(unseen.contains { $0.contains("does not state its layout") })
        #expect(unseen.contains { $0.hasPrefix("runtime      unknown layout, tasks of 2") }, "\(unseen)")
        let unsized = try RuntimeCopy(.without("_swift_concurrency_debug_asyncTaskSize"))
        let lines = Self.lines(try await Self.doctor(path, unsized.environment).output, below: "Program")
        #expect(lines.contains { $0.hasPrefix("runtime      layout 1, tasks of unknown size") }, "\(lines)")
    }

    @Test("Of a later version it says the number without the byte that is no part of it, and that no test has run on it")
    func laterVersion() async throws {
        let later = try RuntimeCopy(.variable("_swift_concurrency_debug_internal_layout_version", 0x0100_0003))
        let lines = Self.lines(try await Self.doctor(WatchedProgram.swift.path(), later.environment).output, below: "Program")
        #expect(lines.contains { $0.hasPrefix("runtime      layout 3, ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("believed     no test has run on this layout version") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("seen         created") })
    }

    @Test("A program with an unknown runtime runs as it does alone, and a sentence says why nothing was seen")
    func unknownRuntime() async throws {
        let runtime = try RuntimeCopy(.without("_swift_concurrency_debug_internal_layout_version"))
        let settings = runtime.environment.map { "\($0)=\($1)" }
        for (command, status) in [(["run", "--no-ui"], 7), (["check"], 7), (["report"], 7)] as [([String], Int32)] {
            let run = try await FinishedProcess.run(
                ["env"] + settings + [Hopscope.path] + command + ["--", try WatchedProgram.swift.path(), "tasks"])
            #expect(run.status == status)
            #expect(run.output == "did tasks\n")
            #expect(run.errors.contains("hopscope: The Swift runtime of this program does not state its layout"))
        }
    }
}
