import Dispatch
import Foundation
import Glibc

/// Does a fixed amount of work of the kind that its argument names (`requests` takes their number), and prints its result and the
/// microseconds that it took: of its processor time, and by the clock. It counts the signals that reach it and the calls that one
/// interrupts.
@main
enum ProfileCosts {
    private static let workers = 4

    static func main() async {
        for number in [SIGPROF, SIGALRM, SIGVTALRM, SIGIO, SIGURG] {
            signal(number) { _ in signals.pointee += 1 }
        }
        let (began, ran) = (time(CLOCK_MONOTONIC), time(CLOCK_PROCESS_CPUTIME_ID))
        let result =
            switch CommandLine.arguments.dropFirst().first {
            case "spins": spin(4_000_000_000)
            case "requests": await requests(CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 200_000)
            // As often as a profile records switches, on a processor of 3 GHz or so.
            case "waits": waits(4_000, work: 3_600_000)
            case "switches": waits(300_000, work: 1_000)
            case let name: fatalError("There is no program \(name ?? "").")
            }
        let (ended, used) = (time(CLOCK_MONOTONIC), time(CLOCK_PROCESS_CPUTIME_ID))
        print(result, signals.pointee, errors.pointee, (used - ran) / 1_000, (ended - began) / 1_000)
    }

    // MARK: Work

    private static func spin(_ count: UInt64) -> UInt64 {
        var sum: UInt64 = 1
        for index in 0..<count { sum = sum &* 6_364_136_223_846_793_005 &+ index }
        return sum
    }

    /// As a server: each request asks an actor, computes for 20 microseconds or so, and has a child.
    private static func requests(_ count: Int) async -> UInt64 {
        let store = Store()
        return await withTaskGroup(of: UInt64.self) { group in
            var sum: UInt64 = 0
            for number in 0..<count {
                if number >= workers { sum &+= await group.next() ?? 0 }
                group.addTask {
                    let seed = await store.next()
                    async let page = spin(10_000 + seed % 2)
                    return await page
                }
            }
            for await each in group { sum &+= each }
            return sum
        }
    }

    /// Two threads that wake each other; one computes in between.
    private static func waits(_ count: Int, work: UInt64) -> UInt64 {
        let (ping, pong) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            for _ in 0..<count {
                ping.wait()
                pong.signal()
            }
        }
        var sum: UInt64 = 0
        for _ in 0..<count {
            ping.signal()
            sum &+= spin(work)
            pong.wait()
        }
        var poll = pollfd()
        if Glibc.poll(&poll, 0, 1) < 0 { errors.pointee += 1 }
        return sum
    }

    private static func time(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}

private actor Store {
    private var count: UInt64 = 0
    func next() -> UInt64 {
        count += 1
        return count
    }
}

/// The signals that reached the program, and the calls that one interrupted.
private nonisolated(unsafe) let signals = counter()
private nonisolated(unsafe) let errors = counter()

private func counter() -> UnsafeMutablePointer<Int> {
    let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    counter.initialize(to: 0)
    return counter
}
