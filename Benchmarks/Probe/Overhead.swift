// A program without any reference to the probe. It measures the cost of one of its own operations.
//
//   overhead empty|work|group|actor|let|start|block|block-work|block-group|sync COUNT
//
// Prints for each operation the nanoseconds of processor time, all threads together, and of wall time.

import Dispatch
import Glibc
import Synchronization

/// Takes about 1.6 microseconds.
@inline(never)
func work() -> Int {
    var value = 1
    for step in 0..<Overhead.workSteps { value = value &* 6_364_136_223_846_793_005 &+ step }
    return value
}

@inline(never)
func number(_ value: Int) async -> Int { value }

actor Counter {
    private(set) var count = 0
    func add() { count += 1 }
}

/// Resumes a continuation after a given number of reports.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ count: Int, _ continuation: UnsafeContinuation<Void, Never>) {
        left = Atomic(count)
        self.continuation = continuation
    }

    func report() {
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
    }
}

@main
struct Overhead {
    static let workSteps = 7800
    static let batch = 1000
    static let sink = Atomic<Int>(0)

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else { exit(64) }
        let (clock, start, processor) = (ContinuousClock(), ContinuousClock.now, processorTime())
        switch arguments[1] {
        case "empty": await detached(count) {}
        case "work": await detached(count) { sink.store(work(), ordering: .relaxed) }
        case "group":
            for _ in 0..<count / batch {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<batch { group.addTask {} }
                }
            }
        case "actor":
            // Runs off main, because a call from main would go through two queues.
            await Task.detached {
                let counter = Counter()
                for _ in 0..<count { await counter.add() }
            }.value
        case "let":
            await Task.detached {
                var sum = 0
                for step in 0..<count {
                    async let value = number(step)
                    sum += await value
                }
                sink.store(sum, ordering: .relaxed)
            }.value
        case "block": blocks(count) {}
        case "block-work": blocks(count) { sink.store(work(), ordering: .relaxed) }
        case "block-group":
            let (queue, group) = (DispatchQueue(label: "concurrent", attributes: .concurrent), DispatchGroup())
            for _ in 0..<count / batch {
                for _ in 0..<batch { queue.async(group: group) { @Sendable in } }
                await withUnsafeContinuation { continuation in group.notify(queue: queue) { @Sendable in continuation.resume() } }
            }
        case "sync":
            let queue = DispatchQueue(label: "serial")
            for _ in 0..<count { queue.sync {} }
        case "start":
            // The first task installs the probe. The whole process is measured, from its first instruction on.
            await Task.detached {}.value
            print(processorTime(), 0)
            return
        case _: exit(64)
        }
        let elapsed = (clock.now - start) / .nanoseconds(1)
        print((processorTime() - processor) / Double(count), elapsed / Double(count))
    }

    static func detached(_ count: Int, _ body: @escaping @Sendable () -> Void) async {
        for _ in 0..<count / batch {
            await withUnsafeContinuation { continuation in
                let countdown = Countdown(batch, continuation)
                for _ in 0..<batch {
                    Task.detached {
                        body()
                        countdown.report()
                    }
                }
            }
        }
    }

    /// Blocks on a serial queue, a batch at a time.
    static func blocks(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "serial")
        for _ in 0..<count / batch {
            for _ in 0..<batch { queue.async { body() } }
            queue.sync {}
        }
    }

    static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
