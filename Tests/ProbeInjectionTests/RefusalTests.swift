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
            _ = try Injection.whenNotBusy(into: pid, library: library ?? (try? ProbeFile.path()) ?? "")
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
        let (files, threads) = (program.files, program.threads)
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
        #expect(await eventually { program.files == files && program.threads <= threads })
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
        let (files, threads) = (program.files, program.threads)
        #expect(try Self.refusal(of: program.pid)?.kind == .noSafeThread)
        #expect(program.files == files && program.threads == threads)
    }

    @Test("A process that filters its system calls, ignores SIGTRAP, or is traced is refused", arguments: ["filter", "trap", "traced"])
    func refusesBySurroundings(_ mode: String) throws {
        let program = try LiveProgram(.requests, [mode])
        let kinds: [String: InjectionProblem.Kind] = ["filter": .seccomp, "trap": .trapIgnored, "traced": .traced]
        #expect(try Self.refusal(of: program.pid)?.kind == kinds[mode])
        #expect(try program.ask("work") == "answer 6")
    }

    @Test("A program with the Swift runtime in its own file, with no loader, or with a runtime of a later layout is refused")
    func refusesByRuntime() throws {
        let later = try RuntimeCopy(.variable("_swift_concurrency_debug_internal_layout_version", 0x0100_0063))
        let programs: [(LiveProgram.Source, [String: String], InjectionProblem.Kind)] = [
            (.withRuntime, [:], .runtimeInProgram), (.alone, [:], .noLibraries), (.quiet, later.environment, .unprovenRuntime),
        ]
        for (source, environment, kind) in programs {
            let program = try LiveProgram(source, environment: environment)
            #expect(try program.ask("alone") == "alone")
            let (files, threads) = (program.files, program.threads)
            #expect(try Self.refusal(of: program.pid)?.kind == kind)
            #expect(try program.ask("as before") == "as before")
            #expect(program.files == files && program.threads <= threads)
        }
    }

    @Test("A process whose loader is busy with another library is refused, and records nothing when that is loaded")
    func refusesWhileLoading() async throws {
        let scratch = try ScratchFolder()
        let gate = scratch.path("gate")
        #expect(mkfifo(gate, 0o600) == 0)
        let program = try LiveProgram(.requests, environment: ["SLOW_GATE": gate])
        #expect(try program.ask("work") == "answer 6")
        let threads = program.threads
        #expect(try program.ask("load \(LiveProgram.Source.slow.path())") == "loading")
        let openAt = 257
        #expect(await eventually { program.calls.contains(openAt) })
        #expect(try Self.refusal(of: program.pid)?.kind == .tookTooLong)
        let end = open(gate, O_WRONLY)
        defer { close(end) }
        #expect(try program.line() == "loaded")
        #expect(try program.ask("work") == "answer 6")
        #expect(await eventually { program.threads <= threads })
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.traces) == [])
    }

    private static let makesNamespaces =
        (try? Process.run(URL(fileURLWithPath: "/usr/bin/unshare"), arguments: ["--pid", "--fork", "true"])).map { process in
            process.waitUntilExit()
            return process.terminationStatus == 0
        } ?? false

    @Test("A process in another container is refused", .enabled(if: makesNamespaces, "a namespace may not be made"))
    func refusesOtherNamespaces() throws {
        let program = try LiveProgram(path: "/usr/bin/unshare", ["--pid", "--fork", "--kill-child", LiveProgram.Source.quiet.path()])
        let children = ProcFile("/proc/\(program.pid)/task/\(program.pid)/children").text
        let pid = try #require(Int32(children.prefix { $0 != " " }))
        #expect(try Self.refusal(of: pid)?.kind == .pidNamespace)
        #expect(try program.ask("as before") == "as before")
    }

    /// A program for 32-bit x86 machines that says `ready` and waits for a signal. Nil if this machine cannot run it.
    private static func oldProgram() -> LiveProgram? {
        let (base, code) = (UInt32(0x0804_8000), UInt32(84))
        let words: (UInt32) -> [UInt8] = { value in withUnsafeBytes(of: value.littleEndian, Array.init) }
        // write(1, "ready\n", 6), then pause().
        var instructions: [UInt8] = [0xb8, 4, 0, 0, 0, 0xbb, 1, 0, 0, 0, 0xb9] + words(base + code + 29)
        instructions += [0xba, 6, 0, 0, 0, 0xcd, 0x80, 0xb8, 29, 0, 0, 0, 0xcd, 0x80] + Array("ready\n".utf8)
        let size = code + UInt32(instructions.count)
        var file: [UInt8] = [0x7f] + Array("ELF".utf8) + [1, 1, 1] + [UInt8](repeating: 0, count: 9) + [2, 0, 3, 0]
        for word in [1, base + code, 52, 0, 0] { file += words(word) }
        file += [52, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        for word in [1, 0, base, base, size, size, 5, 0x1000] { file += words(word) }
        guard let scratch = try? ScratchFolder() else { return nil }
        let path = scratch.path("old")
        guard FileManager.default.createFile(atPath: path, contents: Data(file + instructions), attributes: [.posixPermissions: 0o700])
        else { return nil }
        return try? LiveProgram(path: path)
    }

    @Test("A program for another machine is refused", .enabled(if: oldProgram() != nil, "this machine runs no 32-bit programs"))
    func refusesOtherMachines() async throws {
        let program = try #require(Self.oldProgram())
        #expect(try Self.refusal(of: program.pid)?.kind == .otherMachine)
        // It may have said "ready" just now and not yet wait.
        #expect(await eventually { ProcFile("/proc/\(program.pid)/status").field("State:")?.first == "S" })
    }
}
