import Foundation
import RemoteTasks
import TaskEvents
import Testing
import TraceTestKit

@testable import ProbeInjection

/// Programs into which nothing is loaded. Each says why, and is as it was.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RefusalTests {
    private static func refusal(of pid: Int32, library: String? = nil) throws -> InjectionProblem? {
        do throws(InjectionProblem) {
            _ = try Injection(into: pid, library: library ?? (try? ProbeFile.path()) ?? "", time: TimeSource())
            return nil
        } catch {
            return error
        }
    }

    @Test("Each refusal is a sentence of its own that names the process")
    func sentences() {
        let problems = InjectionProblem.Kind.allCases.map { InjectionProblem($0, of: 4711, detail: "X") }
        #expect(Set(problems.map(\.description)).count == problems.count)
        #expect(problems.allSatisfy { $0.description.contains("4711") && $0.description.hasSuffix(".") })
    }

    @Test("A process that is stopped, traced, filtered or elsewhere is refused, and answers as before")
    func refusesByState() async throws {
        let program = try LiveProgram(.requests)
        #expect(try program.ask("work") == "answer 6")
        let state = program.state
        kill(program.pid, SIGSTOP)
        #expect(await eventually { ProcFile("/proc/\(program.pid)/status").field("State:")?.first == "T" })
        #expect(try Self.refusal(of: program.pid)?.kind == .stopped)
        kill(program.pid, SIGCONT)
        // Files that the process does not see, and files that are no library.
        #expect(try Self.refusal(of: program.pid, library: "/nowhere/libhopscope-probe.so")?.kind == .invisible)
        let scratch = try ScratchFolder()
        try scratch.write("text", to: "libhopscope-probe.so")
        let notLoaded = try #require(try Self.refusal(of: program.pid, library: scratch.path("libhopscope-probe.so")))
        #expect(notLoaded.kind == .notLoaded && notLoaded.description.contains("file too short"))
        // No room for memory.
        #expect(try program.ask("tighten") == "done")
        #expect(try Self.refusal(of: program.pid)?.kind == .noRoom)
        #expect(try program.ask("widen") == "done")
        #expect(await eventually { program.state == state })
        #expect(try program.ask("work") == "answer 6")
        #expect(try program.finish() == 0)
    }

    @Test("A process that has ended is refused, whether or not its parent has taken note")
    func refusesEnded() async throws {
        var pid: pid_t = 0
        let name = strdup("/bin/true")
        defer { free(name) }
        #expect(posix_spawn(&pid, "/bin/true", nil, nil, [name, nil], nil) == 0)
        #expect(await eventually { ProcFile("/proc/\(pid)/status").field("State:")?.first == "Z" })
        #expect(try Self.refusal(of: pid)?.kind == .zombie)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
        #expect(try Self.refusal(of: pid)?.kind == .ended)
    }

    @Test("A program without Swift, and one with Hopscope's own lanes, are refused")
    func refusesByLibraries() throws {
        let program = try LiveProgram(.calls, ["poll"])
        #expect(try #require(try Self.refusal(of: program.pid)).description.contains("no Swift concurrency runtime"))
        #expect(try Self.refusal(of: getpid())?.kind == .ownProbe)
    }

    @Test("A process that records already, and one with another copy of the probe, are refused")
    func refusesOtherProbes() throws {
        let recording = try LiveProgram(.requests, environment: ["LD_PRELOAD": ProbeFile.path()])
        #expect(try recording.ask("work") == "answer 6")
        let problem = try #require(try Self.refusal(of: recording.pid))
        #expect(problem.kind == .notRecorded && problem.description.contains("records already"))
        #expect(try recording.ask("work") == "answer 6")

        let scratch = try ScratchFolder()
        try FileManager.default.copyItem(atPath: ProbeFile.path(), toPath: scratch.path("libhopscope-probe.so"))
        let other = try LiveProgram(.requests, environment: ["LD_PRELOAD": scratch.path("libhopscope-probe.so"), "HOPSCOPE": "no"])
        #expect(try Self.refusal(of: other.pid)?.kind == .otherProbe)
        #expect(try other.ask("work") == "answer 6")
    }

    @Test("A process whose threads all run, or handle a signal, is refused", arguments: ["busy", "handler"])
    func refusesWithoutASafeThread(_ mode: String) throws {
        let program = try LiveProgram(.requests, [mode])
        let state = program.state
        #expect(try Self.refusal(of: program.pid)?.kind == .noSafeThread)
        #expect(program.state == state)
    }

    @Test("A process that filters its system calls, ignores SIGTRAP, or is traced is refused", arguments: ["filter", "trap", "traced"])
    func refusesBySurroundings(_ mode: String) throws {
        let program = try LiveProgram(.requests, [mode])
        let kinds: [String: InjectionProblem.Kind] = ["filter": .seccomp, "trap": .trapIgnored, "traced": .traced]
        #expect(try Self.refusal(of: program.pid)?.kind == kinds[mode])
        #expect(try program.ask("work") == "answer 6")
    }
}
