import CProbeInjection
import Glibc
import RemoteTasks

/// Finds out, from outside, whether the probe may be loaded into a process. Changes nothing there.
struct InjectionCheck {
    let functions: injection_functions

    /// - Parameter library: The path of the probe.
    init(of pid: Int32, library: String) throws(InjectionProblem) {
        let status = ProcFile("/proc/\(pid)/status")
        try Self.checkState(status, of: pid)
        try Self.checkMachine(of: pid)
        try Self.checkSurroundings(status, of: pid, library: library)
        let process: RemoteProcess
        let runtime: LoadedRuntime
        do throws(SnapshotProblem) {
            process = try RemoteProcess(pid: pid)
            runtime = try LoadedRuntime(of: process)
        } catch {
            throw InjectionProblem(error)
        }
        functions = try Self.functions(of: process)
        guard runtime.isLibrary else { throw InjectionProblem(.runtimeInProgram, of: pid) }
        guard runtime.isListed else { throw InjectionProblem(.unprovenRuntime, of: pid, detail: String(runtime.version)) }
        try Self.checkProbes(of: process, library: library)
    }

    // MARK: The kernel's facts

    private static func checkState(_ status: ProcFile, of pid: Int32) throws(InjectionProblem) {
        switch status.field("State:")?.first {
        case nil: throw InjectionProblem(.ended, of: pid)
        case "Z", "X": throw InjectionProblem(.zombie, of: pid)
        case "T": throw InjectionProblem(.stopped, of: pid)
        case _: break
        }
        if let tracer = status.field("TracerPid:"), tracer != "0" { throw InjectionProblem(.traced, of: pid, detail: tracer) }
    }

    /// The beginning of an ELF file: the class in byte 4, the machine in bytes 18 and 19.
    private static func checkMachine(of pid: Int32) throws(InjectionProblem) {
        func machine(_ path: String) -> [UInt8] {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return [] }
            defer { close(file) }
            var head = [UInt8](repeating: 0, count: 20)
            return read(file, &head, head.count) == head.count ? [head[4], head[18], head[19]] : []
        }
        let x8664: [UInt8] = [2, 62, 0]
        // A file that may not be read is reported as such later.
        let its = machine("/proc/\(pid)/exe")
        guard machine("/proc/self/exe") == x8664, its.isEmpty || its == x8664 else { throw InjectionProblem(.otherMachine, of: pid) }
    }

    private static func checkSurroundings(_ status: ProcFile, of pid: Int32, library: String) throws(InjectionProblem) {
        guard isSame("/proc/\(pid)/ns/pid", "/proc/self/ns/pid") else { throw InjectionProblem(.pidNamespace, of: pid) }
        guard isSame("/proc/\(pid)/root\(library)", library) else { throw InjectionProblem(.invisible, of: pid, detail: library) }
        // Filters are inherited and only grow. A process with as many as this one has those of the container that both are in.
        let own = ProcFile("/proc/self/status")
        guard status.field("Seccomp:") == own.field("Seccomp:"), status.field("Seccomp_filters:") == own.field("Seccomp_filters:") else {
            throw InjectionProblem(.seccomp, of: pid)
        }
        if status.field("x86_Thread_features:")?.contains("shstk") == true { throw InjectionProblem(.shadowStack, of: pid) }
        let trap = UInt64(1) << UInt64(SIGTRAP - 1)
        let ignored = status.field("SigIgn:").flatMap { UInt64($0, radix: 16) } ?? 0
        if ignored & trap != 0 { throw InjectionProblem(.trapIgnored, of: pid) }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    // MARK: The process's libraries

    static func functions(of process: RemoteProcess) throws(InjectionProblem) -> injection_functions {
        let names = ["pthread_create", "pthread_self", "pthread_detach", "dlopen", "dlsym", "dlerror", "munmap", "usleep", "mprotect"]
        // Before glibc 2.34, threads and the loader's functions were in libraries of their own.
        let found = process.functions(names, inLibraries: ["libc.so", "libc-", "libpthread", "libdl"])
        guard !found.contains(0) else { throw InjectionProblem(.noLibraries, of: process.pid) }
        return injection_functions(
            pthread_create: found[0], pthread_self: found[1], pthread_detach: found[2], dlopen: found[3], dlsym: found[4],
            dlerror: found[5], munmap: found[6], usleep: found[7], mprotect: found[8])
    }

    private static func checkProbes(of process: RemoteProcess, library: String) throws(InjectionProblem) {
        for module in process.modules {
            let isProbe = module.name.hasPrefix("libhopscope-probe") || module.name.hasPrefix("libHopscopeProbe")
            if isProbe, !isSame(module.path, library) { throw InjectionProblem(.otherProbe, of: process.pid, detail: module.path) }
            if isProbe { return }
        }
        // Hopscope's lanes have this function, with the probe or without it.
        guard !process.programDefines("trace_region_create") else { throw InjectionProblem(.ownProbe, of: process.pid) }
    }
}
