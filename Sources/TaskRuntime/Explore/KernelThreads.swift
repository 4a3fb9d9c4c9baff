import Foundation
import TaskEvents

/// The threads of this process, as the kernel sees them.
enum KernelThreads {
    /// The calling thread's number.
    static var calling: Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { path in
            let length = readlink("/proc/thread-self", path.baseAddress!, path.count)
            let digits = path.prefix(max(0, length)).reversed().prefix { $0 != 0x2f }.reversed()
            return digits.reduce(0) { $0 &* 10 &+ Int32($1) - 48 }
        }
    }

    /// The processors' time that all of them have had, in nanoseconds.
    static var used: UInt64 {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1_000 }
    }

    /// The processors' time that the thread has had, in nanoseconds; 0 if it has ended.
    static func used(by thread: Int32) -> UInt64 {
        read("/proc/self/task/\(thread)/schedstat") { text in
            text.prefix { $0 >= UInt8(ascii: "0") }.reduce(0) { $0 &* 10 &+ UInt64($1 - UInt8(ascii: "0")) }
        } ?? 0
    }

    private struct Look {
        var runnable: Set<Int32> = []
        var time: UInt64 = 0
        /// The nanoseconds that it took.
        var cost: UInt64 = 0
    }

    /// Explorations that run beside one another share their looks, which cost the kernel some ten microseconds for each thread.
    private static let lastLook = Guarded(Look())

    /// The threads that run or could, or that wait for the machine's own files, a moment ago. Not the calling thread. Nil if it is too soon
    /// for another look: at most a tenth of the time goes into them.
    static func runnable(_ clock: TimeSource) -> Set<Int32>? {
        lastLook.withLock { last in
            let now = clock.now, age = now - last.time
            if age < OrderedPatience.tick / 2 { return last.runnable }
            guard age >= 10 * last.cost else { return nil }
            last = Look(runnable: look(), time: now)
            last.cost = clock.now - now
            return last.runnable
        }
    }

    private static func look() -> Set<Int32> {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        let calling = calling
        var found: Set<Int32> = []
        while let entry = readdir(folder) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { atol($0) } }
            guard number > 0, Int32(number) != calling, canRun(number) else { continue }
            found.insert(Int32(number))
        }
        return found
    }

    /// False if the thread sleeps, or has ended.
    private static func canRun(_ thread: Int) -> Bool {
        read("/proc/self/task/\(thread)/stat") { text in
            // The name, in parentheses, may contain anything.
            guard let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < text.endIndex else { return false }
            return text[end + 2] != UInt8(ascii: "S")
        } ?? false
    }

    /// Reads the beginning of a file of the kernel; nil if there is no such file.
    private static func read<Value>(_ path: String, _ body: (Slice<UnsafeMutableRawBufferPointer>) -> Value) -> Value? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
            body(bytes.prefix(max(0, Glibc.read(file, bytes.baseAddress!, bytes.count))))
        }
    }
}
