import Foundation
import Testing
import TraceTestKit

/// A full disk, missing rights, little memory and other faults of the surroundings: the program ends as without Hopscope, the command
/// reports the available facts, and the sentence names the true cause.
@Suite(.timeLimit(.minutes(3)))
struct SurroundingsTests {
    private func shell(_ script: String, _ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run(["bash", "-c", script, Hopscope.path] + arguments)
    }

    @Test("A recording on a full disk costs neither the report nor the program's status", arguments: [("0", 69), ("7", 7)])
    func fullDisk(way: String, status: Int32) async throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("small"), withIntermediateDirectories: false)
        // A file system of the test's own, if this user may mount one.
        let script = """
            unshare -m true 2>/dev/null || exit 77
            exec unshare -m bash -c 'mount -t tmpfs -o size=12k none "$1/small" || exit 77
                head -c 8192 /dev/zero >"$1/small/filler"
                "$0" run --no-ui --record "$1/small/run.hop" -- sh -c "$2" "$0"' "$0" "$@"
            """
        // The recording needs more than the 4 KiB that are left.
        let program = "\"$0\" demo load --tasks 3000 --no-ui --speed 50 >/dev/null; exit \(way)"
        let process = try await shell(script, folder.path, program)
        guard process.status != 77 else { return }
        #expect(process.errors.contains("the disk is full"), "\(process.errors)")
        #expect(process.output.contains(" tasks "), "\(process.output)")
        #expect(process.status == status, "\(process.errors)")
    }

    @Test("A recording grows while the program runs")
    func recordsAsItGoes() async throws {
        let folder = try ScratchFolder()
        let script = """
            mkfifo "$1/gate"
            "$0" run --no-ui --record "$1/run.hop" -- sh -c '"$0" tasks; read line <"$1/gate"' "$2" "$1" >/dev/null & run=$!
            until [ "$(wc -c <"$1/run.hop" 2>/dev/null || echo 0)" -gt 200 ]; do :; done
            kill -KILL $run
            echo >"$1/gate"
            wait $run
            exec "$0" report "$1/run.hop" --format json
            """
        let process = try await shell(script, folder.path, try WatchedProgram.swift.path())
        #expect(process.status == 0, "\(process.errors)")
        #expect(process.output.contains("\"answer\""))
    }

    @Test("If no trace can be created, the sentence names that reason")
    func noTrace() async throws {
        let process = try await shell("ulimit -f 64; exec \"$0\" run --no-ui -- \"$1\" fault", try WatchedProgram.swift.path())
        #expect(process.status == 0)
        #expect(process.errors.contains("Nothing is known of the tasks of "), "\(process.errors)")
        #expect(process.errors.contains("could not be made: File too large."))
        #expect(!process.errors.contains("has made no Swift tasks"))
    }

    /// Runs a program under a seccomp filter that refuses system calls, as containers have it: the calls' numbers, and the program.
    private static let filter = """
        import ctypes, os, struct, sys
        steps = [(0x20, 0, 0, 0)]
        for call in sys.argv[2].split(","): steps += [(0x15, 0, 1, int(call)), (0x06, 0, 0, 0x50000 + int(sys.argv[1]))]
        code = b"".join(struct.pack("HBBI", *step) for step in steps + [(0x06, 0, 0, 0x7fff0000)])
        class Filter(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_char_p)]
        prctl = ctypes.CDLL(None).prctl
        if prctl(38, 1, 0, 0, 0) or prctl(22, 2, ctypes.byref(Filter(len(code) // 8, code)), 0, 0): sys.exit(77)
        os.execv(sys.argv[3], sys.argv[3:])
        """

    @Test(
        "In a container that refuses fallocate, membarrier, profiling and reading other processes, a program is recorded",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
        arguments: [EPERM, ENOSYS])
    func seccomp(error: Int32) async throws {
        #if arch(x86_64)
            // fallocate, membarrier, perf_event_open, process_vm_readv, madvise.
            let calls = "285,324,298,310,28"
            let script = #"exec "$0" run --no-ui -- /usr/bin/python3 -c "$1" "$2" "$3" "$4" tasks"#
            let process = try await shell(script, Self.filter, "\(error)", calls, WatchedProgram.swift.path())
            guard process.status != 77 else { return }
            #expect(process.status == 7, "\(process.errors)")
            #expect(process.output.contains("2 tasks"), "\(process.output)\(process.errors)")
        #endif
    }

    @Test(
        "Where profiling is refused, 'record --profile' says so and the parts that it tells are unknown; 'doctor' names the setting",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
        arguments: [(EPERM, "'--cap-add PERFMON'"), (EACCES, "'--cap-add PERFMON'"), (ENOSYS, "the kernel has no performance events")])
    func noProfile(error: Int32, words: String) async throws {
        #if arch(x86_64)
            let folder = try ScratchFolder()
            let script = #"exec /usr/bin/python3 -c "$1" "$2" 298 "$0" record --profile -o "$3" -- "$4" tasks"#
            let path = folder.path("run.hop")
            let recorded = try await shell(script, Self.filter, "\(error)", path, WatchedProgram.swift.path())
            guard recorded.status != 77 else { return }
            #expect(recorded.errors.contains("The program cannot be profiled: "), "\(recorded.errors)")
            let report = try JSONObject(try await Hopscope.run("report", path, "--format", "json").output)
            let times = report.list("tasks").map { $0.object("time") }
            #expect(!times.isEmpty && times.allSatisfy { $0.number("on_cpu_ns") == nil && $0.number("runnable_ns") == nil })
            let doctor = try await shell(#"exec /usr/bin/python3 -c "$1" "$2" 298 "$0" doctor"#, Self.filter, "\(error)")
            #expect(doctor.output.contains("'record --profile' takes no samples") && doctor.output.contains(words), "\(doctor.output)")
        #endif
    }

    @Test("For a setuid program the sentence names its rights as the reason", .enabled(if: geteuid() == 0))
    func setuid() async throws {
        let folder = try ScratchFolder()
        let script =
            "cp \"$2\" \"$1/own\"; chown 65534 \"$1/own\"; chmod 4755 \"$1/own\"; chmod 755 \"$1\"; exec \"$0\" check -- \"$1/own\" plain"
        let process = try await shell(script, folder.path, try WatchedProgram.swift.path())
        #expect(process.status == 69)
        #expect(process.errors.contains("runs as its owner (setuid), so the system preloads no probe into it."), "\(process.errors)")
    }

    @Test("With little address space a program ends as it does without Hopscope", arguments: [200_000, 400_000, 800_000])
    func addressSpace(kibibytes: Int) async throws {
        let program = try WatchedProgram.swift.path()
        let bare = try await shell("ulimit -v $1; exec \"$2\" tasks", "\(kibibytes)", program)
        let run = try await shell("ulimit -v $1; exec \"$0\" run --no-ui -- \"$2\" tasks", "\(kibibytes)", program)
        #expect(run.status == bare.status, "\(run.errors)")
        #expect(run.output.hasPrefix(bare.output))
    }

    @Test("With too little stack, the sentence names the limit", arguments: [100, 64, 56])
    func stack(kibibytes: Int) async throws {
        let process = try await shell("ulimit -s $1; exec \"$0\" --version", "\(kibibytes)")
        #expect(process.status == 69)
        #expect(process.errors.contains("here it may use \(kibibytes) KiB ('ulimit -s')"), "\(process.errors)")
    }

    @Test("With few threads allowed a command works or names the limit", .enabled(if: geteuid() == 0))
    func threads() async throws {
        // The limit holds for users without privileges, and counts all processes of the user, so the test takes a user of its own.
        let copy = try ScratchFolder()
        #expect(chmod(copy.path, 0o755) == 0)
        for name in ["hopscope", "libhopscope-probe.so"] {
            let built = URL(fileURLWithPath: Hopscope.path).deletingLastPathComponent().appending(component: name).path
            try FileManager.default.copyItem(atPath: built, toPath: copy.path(name))
            #expect(chmod(copy.path(name), 0o755) == 0)
        }
        let script = """
            for limit in $(seq 12 -1 1); do
                for command in "demo load --tasks 100 --no-ui" "run --no-ui -- true"; do
                    errors=$(env -i PATH="$PATH" setpriv --reuid=54321 --regid=54321 --clear-groups bash -c 'ulimit -u $1; shift; exec "$@"' - \\
                        $limit "$1/hopscope" $command 2>&1 >/dev/null); status=$?
                    case "$errors" in *"'ulimit -u'"*) words=named;; *) words=;; esac
                    echo "$command: $status$words"
                done
            done | sort -u
            """
        let process = try await shell(script, copy.path)
        #expect(process.output.contains("demo load --tasks 100 --no-ui: 0\n"))
        #expect(process.output.contains("demo load --tasks 100 --no-ui: 69named\n"))
        #expect(process.output.contains("run --no-ui -- true: 69named\n"))
        let outcomes = Set(process.output.split(separator: "\n").map { $0.split(separator: " ").last ?? "" })
        #expect(outcomes == ["0", "69named"], "\(process.output)")
    }

    @Test("With ever less address space a command works, then names the limit, and then is not loaded")
    func ownAddressSpace() async throws {
        let script = """
            for size in $(seq 200000 -4000 60000); do
                errors=$(ulimit -v $size; exec "$0" --version 2>&1 >/dev/null); status=$?
                case "$errors" in *"'ulimit -v'"*) words=named;; *"loading shared libraries"*) words=loader;; *) words=;; esac
                echo "$status$words"
            done | uniq
            """
        let process = try await shell(script)
        #expect(process.output == "0\n69named\n127loader\n")
    }

    @Test("With few descriptors a program ends as it does without Hopscope", arguments: [5, 6, 7, 8, 10, 16], ["tasks", "fault"])
    func descriptors(limit: Int, way: String) async throws {
        let program = try WatchedProgram.swift.path()
        // With so few descriptors, Swift's backtracer prints another part of its report in each run.
        let quiet = "export SWIFT_BACKTRACE=enable=no; ulimit -n $1; exec"
        let bare = try await shell("\(quiet) \"$2\" $3", "\(limit)", program, way)
        let run = try await shell("\(quiet) \"$0\" run --no-ui -- \"$2\" $3", "\(limit)", program, way)
        // With five or six descriptors Dispatch itself sometimes traps, with Hopscope and without: it has none left for its events.
        let trap: Int32 = 128 + SIGILL
        if limit <= 6, bare.status == trap || run.status == trap { return }
        #expect(run.status == bare.status, "\(run.errors)")
        #expect(run.output.hasPrefix(bare.output))
        #expect(run.errors.contains("Nothing is known of the tasks of '\(program)'."), "\(run.errors)")
        #expect(run.errors.hasSuffix(" ('ulimit -n').\n"), "\(run.errors)")
    }

    @Test("With some descriptors to spare, a program is recorded")
    func sparedDescriptors() async throws {
        let run = try await shell("ulimit -n 64; exec \"$0\" run --no-ui -- \"$1\" tasks", try WatchedProgram.swift.path())
        #expect(run.status == 7, "\(run.errors)")
        #expect(run.output.contains("2 tasks"), "\(run.output)")
    }

    @Test("A program starts only if the command has its own descriptors")
    func fewestDescriptors() async throws {
        let run = try await shell("ulimit -n 4; exec \"$0\" run --no-ui -- \"$1\" plain", try WatchedProgram.swift.path())
        #expect(run.status == 69)
        #expect(run.errors.hasSuffix("could not be opened: Too many open files.\n"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("If the command cannot record a program's tasks, it does not say that there were none")
    func unrecorded() async throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("small"), withIntermediateDirectories: false)
        // A file system of the test's own, if this user may mount one. It has room for itself, the run's folder and the program's lanes.
        let script = """
            unshare -m true 2>/dev/null || exit 77
            exec unshare -m bash -c 'mount -t tmpfs -o nr_inodes=3,mode=700 none "$1/small" || exit 77
                HOPSCOPE="$1/small" exec "$0" run --no-ui -- "$2" fault' "$0" "$@"
            """
        let run = try await shell(script, folder.path, try WatchedProgram.swift.path())
        guard run.status != 77 else { return }
        #expect(run.status == 69, "\(run.errors)")
        #expect(run.errors.contains("Nothing is known of the tasks of "), "\(run.errors)")
        #expect(run.errors.hasSuffix("cannot be written: the disk is full. Make room, or record to another one.\n"), "\(run.errors)")
        #expect(!run.errors.contains("has made no Swift tasks"))
    }

    @Test("A signal to the command reaches the program while the inspector is shown", arguments: [SIGUSR1, SIGALRM, SIGVTALRM])
    func signals(signal: Int32) async throws {
        let script = "trap 'echo trapped; exit 9' USR1 ALRM VTALRM; echo ready; while :; do sleep 0.02; done"
        try await TerminalSession.run("run", "--", "sh", "-c", script) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "ready")
            try await terminal.signal(signal)
            try await terminal.wait(for: "trapped")
            try await terminal.wait(for: "ended")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "9")
        }
    }

    @Test("An impossible terminal size in the environment is ignored", arguments: ["99999999", "-1", "x"])
    func columns(value: String) async throws {
        let folder = try await RecordedFolder()
        try await TerminalSession.run("replay", folder.recording, environment: ["COLUMNS": value, "LINES": value]) { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
    }

    @Test("The directory of a killed demo is removed by the next demo")
    func scratch() async throws {
        let folder = try ScratchFolder()
        let script = """
            export TMPDIR="$1"
            "$0" demo kinesis-success --no-ui --speed 0.01 >/dev/null & demo=$!
            until ls -d "$1"/hopscope-demo-* >/dev/null 2>&1; do :; done
            "$0" demo recipes-ordering --no-ui --speed 50 >/dev/null
            ls -d "$1"/hopscope-demo-* | wc -l
            kill -KILL $demo
            wait $demo
            "$0" demo recipes-ordering --no-ui --speed 50 >/dev/null
            ls -d "$1"/hopscope-demo-* 2>/dev/null | wc -l
            """
        let process = try await shell(script, folder.path)
        #expect(process.output == "1\n0\n", "\(process.errors)")
    }

    @Test("A check leaves out the toolchain's processes, and --process selects processes")
    func processes() async throws {
        let folder = try ScratchFolder()
        // A program in the directory of a compiler belongs to the toolchain.
        let script = """
            mkdir "$1/bin"; cp "$2" "$1/bin/swift-build"; cp "$2" "$1/mine"; cp /bin/true "$1/bin/swift-frontend"
            exec "$0" check $3 -- sh -c '"$0/bin/swift-build" fault; "$0/mine" tasks; exit 0' "$1"
            """
        let program = try WatchedProgram.swift.path()
        let own = try await shell(script, folder.path, program, "--fail-on unobserved-fault")
        #expect(own.status == 0, "\(own.output)")
        #expect(own.errors.contains("Left out: ") && own.errors.contains("(swift-build, "), "\(own.errors)")
        #expect(own.errors.contains("belong to the Swift toolchain; '--process PATTERN' chooses others."))
        let other = try ScratchFolder()
        let chosen = try await shell(script, other.path, program, "--fail-on unobserved-fault --process swift-*")
        #expect(chosen.status == 1, "\(chosen.output)")
        #expect(chosen.errors.contains("(mine, "))
    }
}
