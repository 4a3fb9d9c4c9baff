import Dispatch
import Foundation
import Glibc

/// Tasks whose shares of time are known, one after the other. Each prints the parts of its life in nanoseconds, by its own clocks and the
/// kernel's: on the processor, runnable, blocked, queued, awaiting.
@main
enum KnownParts {
    /// The argument is the length of the run in seconds.
    static func main() async {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 10
        let unit = seconds / 12
        let tasks: [(String, @Sendable () async -> Ledger)] = [
            ("spins", { await spins(unit) }), ("reads", { await reads(unit) }), ("locks", { await locks(unit) }),
            ("signals", { await signals(unit) }), ("naps", { await naps(unit) }), ("conditions", { await conditions(unit) }),
            ("sleeps", { await sleeps(unit) }), ("queues", { await queues(unit) }), ("awaits", { await awaits(unit) }),
            ("preempted", { await preempted(unit) }), ("continues", { await continues(unit) }), ("mixes", { await mixes(unit) }),
        ]
        for (name, body) in tasks {
            let ledger = await Task(name: name) { await body() }.value
            let parts = [ledger.onCPU, ledger.runnable, ledger.blocked, ledger.queued, ledger.awaiting]
            print(([name] + parts.map(String.init)).joined(separator: " "))
        }
        fflush(nil)
    }

    // MARK: Tasks

    private static func spins(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        spin(unit)
        ledger.ran()
        return ledger
    }

    /// A fifth of the time on the processor, the rest in `read`, which the probe does not see.
    private static func reads(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 40)
            read(after: unit / 10)
        }
        ledger.ran()
        return ledger
    }

    private static func locks(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 20)
            HeldLock.hold(unit / 16).wait()
        }
        ledger.ran()
        return ledger
    }

    private static func signals(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 13)
            let semaphore = DispatchSemaphore(value: 0)
            after(unit / 20) { semaphore.signal() }
            semaphore.wait()
        }
        ledger.ran()
        return ledger
    }

    private static func naps(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 16)
            usleep(UInt32(unit * 1_000_000 / 16))
        }
        ledger.ran()
        return ledger
    }

    /// System calls on the processor, and waits for a condition.
    private static func conditions(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            callKernel(unit / 24)
            waitForCondition(unit / 12)
        }
        ledger.ran()
        return ledger
    }

    private static func sleeps(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 32)
            ledger.ran()
            let due = now() + nanoseconds(unit / 12)
            try? await Task.sleep(nanoseconds: nanoseconds(unit / 12))
            ledger.waited(until: due)
        }
        return ledger
    }

    /// A fifth on the processor, the rest in the queue of an actor that another task keeps busy.
    private static func queues(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        let store = Store()
        for _ in 0..<8 {
            spin(unit / 40)
            let compacts = Task(name: "compact") { await store.compact(unit / 10) }
            while !store.isBusy { usleep(100) }
            ledger.ran()
            let started = await store.save()
            ledger.wasQueued(until: started)
            await compacts.value
            ledger.waited(until: 0)
        }
        return ledger
    }

    private static func awaits(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 32)
            ledger.ran()
            let ended = await Task(name: "child") {
                spin(unit / 12)
                return now()
            }.value
            ledger.waited(until: ended)
        }
        return ledger
    }

    /// Two other threads want the same processor.
    private static func preempted(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        let usual = Processors.pin()
        let spinners = Spinners(2)
        spin(unit / 3)
        spinners.stop()
        Processors.restore(usual)
        ledger.ran()
        return ledger
    }

    private static func continues(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        for _ in 0..<8 {
            spin(unit / 20)
            ledger.ran()
            let resumed: UInt64 = await withCheckedContinuation { continuation in
                after(unit / 14) { continuation.resume(returning: now()) }
            }
            ledger.waited(until: resumed)
        }
        return ledger
    }

    private static func mixes(_ unit: Double) async -> Ledger {
        var ledger = Ledger()
        let store = Store()
        for _ in 0..<2 {
            spin(unit / 10)
            read(after: unit / 10)
            let compacts = Task(name: "compact") { await store.compact(unit / 10) }
            while !store.isBusy { usleep(100) }
            ledger.ran()
            let started = await store.save()
            ledger.wasQueued(until: started)
            await compacts.value
            ledger.waited(until: 0)
            let due = now() + nanoseconds(unit / 10)
            try? await Task.sleep(nanoseconds: nanoseconds(unit / 10))
            ledger.waited(until: due)
        }
        return ledger
    }

    // MARK: What they do

    private nonisolated(unsafe) static var passes = 0

    static func spin(_ seconds: Double) {
        let end = processorTime() + nanoseconds(seconds)
        while processorTime() < end { for _ in 0..<1_000 { passes &+= 1 } }
    }

    private static func callKernel(_ seconds: Double) {
        let file = open("/dev/zero", O_RDONLY)
        defer { close(file) }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        let end = processorTime() + nanoseconds(seconds)
        while processorTime() < end { _ = Glibc.read(file, buffer, 1 << 16) }
    }

    private static func waitForCondition(_ seconds: Double) {
        let condition = NSCondition()
        condition.lock()
        _ = condition.wait(until: Date() + seconds)
        condition.unlock()
    }

    private static func read(after seconds: Double) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let writer = ends[1]
        after(seconds) { _ = write(writer, "x", 1) }
        var byte: UInt8 = 0
        _ = Glibc.read(ends[0], &byte, 1)
        close(ends[0])
        close(ends[1])
    }
}

/// An actor that is busy for a while.
private actor Store {
    private let lock = NSLock()
    private nonisolated(unsafe) var flag = false

    nonisolated var isBusy: Bool { lock.withLock { flag } }

    func compact(_ seconds: Double) {
        lock.withLock { flag = true }
        usleep(UInt32(seconds * 1_000_000))
        lock.withLock { flag = false }
    }

    /// The time at which the actor began with it.
    func save() -> UInt64 { now() }
}

/// The parts of a task's life until now, by the clocks of its threads.
struct Ledger {
    private(set) var onCPU: UInt64 = 0
    private(set) var runnable: UInt64 = 0
    private(set) var blocked: UInt64 = 0
    private(set) var queued: UInt64 = 0
    private(set) var awaiting: UInt64 = 0
    private var wall = now()
    private var processor = processorTime()
    private var delay = runDelay()

    /// Since the last mark, the task had a thread.
    mutating func ran() {
        let (used, waited, passed) = (processorTime() - processor, runDelay() - delay, now() - wall)
        onCPU += used
        runnable += waited
        blocked += passed > used + waited ? passed - used - waited : 0
        mark()
    }

    /// Since the last mark, the task awaited something, which was over at a time, and was in a queue from then on.
    mutating func waited(until end: UInt64) {
        let time = now()
        let until = min(max(end, wall), time)
        awaiting += until - wall
        queued += time - until
        mark()
    }

    /// Since the last mark, the task was in a queue until a time, and came back by way of another one.
    mutating func wasQueued(until start: UInt64) {
        queued += now() - wall
        mark()
    }

    private mutating func mark() { (wall, processor, delay) = (now(), processorTime(), runDelay()) }
}

// MARK: Clocks

func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }

func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
        usleep(UInt32(seconds * 1_000_000))
        body()
    }
}

func now() -> UInt64 { time(CLOCK_MONOTONIC) }

func processorTime() -> UInt64 { time(CLOCK_THREAD_CPUTIME_ID) }

private func time(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The time that the calling thread could run and had no processor, by the kernel.
private func runDelay() -> UInt64 {
    let file = open("/proc/thread-self/schedstat", O_RDONLY)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = Glibc.read(file, &text, 127)
    let words = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? UInt64(words[1]) ?? 0 : 0
}
