import CRemoteProcess
import Glibc

/// A process that runs a Swift program.
package struct SwiftProcess: Sendable {
    package let pid: Int32
    /// The name of the process's executable.
    package let program: String
    /// The time since the process was started, in seconds.
    package let age: Double
    /// Whether the probe is loaded into the process.
    package let hasProbe: Bool

    /// This user's processes in the order of their numbers, without the calling process. Root sees the processes of all users.
    package static func all() -> [SwiftProcess] {
        ProcFile.names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { $0 == getpid() ? nil : SwiftProcess(pid: $0) }
    }

    /// Nil if there is no such process, if it may not be read, or if it has no Swift concurrency runtime.
    package init?(pid: Int32) {
        let maps = ProcFile("/proc/\(pid)/maps").text
        let isDynamic = maps.contains("libswift_Concurrency")
        guard isDynamic || !maps.isEmpty && remote_is_swift("/proc/\(pid)/exe") else { return nil }
        // A program that loads Swift's core library, but not its concurrency library, has no tasks.
        if !isDynamic, maps.contains("libswiftCore.so") { return nil }
        self.pid = pid
        program = Self.program(of: pid)
        hasProbe = maps.contains("libhopscope-probe")
        age = Self.age(of: pid)
    }

    /// The name of a process's executable. If the executable may not be read, the name of the process.
    package static func program(of pid: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let size = readlink("/proc/\(pid)/exe", &buffer, buffer.count)
        guard size > 0 else { return String(ProcFile("/proc/\(pid)/comm").text.prefix { $0 != "\n" }) }
        var path = String(decoding: buffer[..<size].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if path.hasSuffix(Self.deleted) { path.removeLast(Self.deleted.count) }
        return path.split(separator: "/").last.map(String.init) ?? path
    }

    private static let deleted = " (deleted)"

    private static func age(of pid: Int32) -> Double {
        guard let started = startTicks(of: pid), let up = Double(ProcFile("/proc/uptime").text.prefix { $0 != " " }) else { return 0 }
        return max(up - Double(started) / Double(sysconf(Int32(_SC_CLK_TCK))), 0)
    }

    /// The time at which a process was started, in ticks since the system's start. The number and this time together identify a process.
    package static func startTicks(of pid: Int32) -> UInt64? {
        statField(19, of: pid)
    }

    /// How long the threads that the process has now have run, in nanoseconds, or in ticks where the kernel does not tell. Compare it only
    /// with itself.
    package var processorTime: UInt64 {
        let times = ProcFile.names(in: "/proc/\(pid)/task").compactMap { thread in
            UInt64(ProcFile("/proc/\(pid)/task/\(thread)/schedstat").text.prefix { $0 != " " })
        }
        guard times.isEmpty else { return times.reduce(0, &+) }
        return (11...12).reduce(0) { $0 &+ (Self.statField($1, of: pid) ?? 0) }
    }

    package static func parent(of pid: Int32) -> Int32? {
        statField(1, of: pid)
    }

    /// A field of the process's line in `/proc/PID/stat`. Field 0 is the one after the program's name.
    private static func statField<Number: FixedWidthInteger>(_ index: Int, of pid: Int32) -> Number? {
        let stat = ProcFile("/proc/\(pid)/stat").text
        // The name is in parentheses, and may contain any character.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].dropFirst(2).split(separator: " ")
        return fields.count > index ? Number(fields[index]) : nil
    }
}
