// A program that keeps a ledger of the nanoseconds that it spends on and off its actors.
//
//   times calls | mixed | started-on-actor | inner | short | pair | queued | hot | reentrant

import Foundation
import Synchronization

func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The ledger of one executor.
final class Ledger: Sendable {
    private let nanoseconds = Atomic<UInt64>(0)
    private let visits = Atomic<Int>(0)

    /// Occupies the executor for the given time and records it.
    func spend(_ duration: UInt64) {
        let start = now()
        while now() - start < duration {}
        nanoseconds.wrappingAdd(now() - start, ordering: .relaxed)
        visits.wrappingAdd(1, ordering: .relaxed)
    }

    func print(_ name: String) {
        Swift.print(name, nanoseconds.load(ordering: .relaxed))
        Swift.print("\(name)-visits", visits.load(ordering: .relaxed))
    }
}

/// Nanoseconds for which a thread of the program had work and no core. The ledger can count such a time where the probe does not, and the
/// other way round: a thread can lose its core between their two looks at the clock. 0 where the kernel does not tell.
func timeWithoutCore() -> UInt64 {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.reduce(0) { sum, thread in
        let words = (try? String(contentsOfFile: "/proc/self/task/\(thread)/schedstat", encoding: .utf8))?.split(separator: " ") ?? []
        return sum + (words.count > 1 ? UInt64(words[1]) ?? 0 : 0)
    }
}

let kitchen = Ledger()
let office = Ledger()
let street = Ledger()
/// Whether a task keeps the kitchen.
let isHeld = Atomic<Bool>(false)

@concurrent func walk(_ duration: UInt64) async { street.spend(duration) }

actor Kitchen {
    private var meals = 0

    func cook(_ duration: UInt64) { kitchen.spend(duration) }

    func hold(_ duration: UInt64) {
        isHeld.store(true, ordering: .relaxed)
        cook(duration)
    }

    func count() { meals += 1 }

    /// Visits another actor many times, and comes back from it each time.
    func compare(with other: Office, times: Int) async { for _ in 0..<times { await other.count() } }

    /// Other calls run on the actor at each of its awaits.
    func serve(_ duration: UInt64) async {
        cook(duration)
        await Task.yield()
        cook(duration)
        try? await Task.sleep(for: .microseconds(200))
        cook(duration)
        await walk(duration)
        cook(duration)
    }

    /// Begins on the actor and spends most of its time off it.
    func leaveAndReturn(_ times: Int) async {
        for _ in 0..<times {
            cook(100_000)
            await walk(1_000_000)
        }
    }
}

actor Office {
    private var letters = 0

    func count() { letters += 1 }
    func work(_ duration: UInt64) { office.spend(duration) }
}

@main
struct Times {
    static func main() async {
        let first = Kitchen()
        let second = Office()
        let coreless = timeWithoutCore()
        let start = now()
        switch CommandLine.arguments.dropFirst().first {
        case "calls":
            await Task.detached { for _ in 0..<1200 { await first.cook(1_000_000) } }.value
        case "mixed":
            await withDiscardingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        for round in 0..<150 {
                            await first.cook(500_000)
                            await walk(300_000)
                            await second.work(UInt64(round % 7) * 100_000 + 1000)
                        }
                    }
                }
            }
        case "started-on-actor":
            await withDiscardingTaskGroup { group in
                for _ in 0..<4 { group.addTask { await first.leaveAndReturn(100) } }
            }
        case "inner":
            await Task.detached {
                for _ in 0..<200 {
                    await first.cook(1_000_000)
                    // Begins inside this task's slice.
                    _ = Task.immediate { street.spend(500_000) }
                }
            }.value
        case "short":
            await Task.detached { for _ in 0..<1_000_000 { await first.count() } }.value
        case "pair":
            await first.compare(with: second, times: 100_000)
        case "queued":
            let holder = Task.detached { await first.hold(20_000_000) }
            while !isHeld.load(ordering: .relaxed) {}
            // The first call waits for the actor, and the others find it free.
            await Task.detached { for _ in 0..<3 { await first.count() } }.value
            await holder.value
        case "hot":
            await withDiscardingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask { for _ in 0..<40 { await first.cook(300_000) } }
                }
            }
        case "reentrant":
            await withDiscardingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask { for _ in 0..<10 { await first.serve(200_000) } }
                }
            }
        default: print("Say which.")
        }
        print("wall", now() - start)
        print("coreless", timeWithoutCore() - coreless)
        kitchen.print("Kitchen")
        office.print("Office")
        street.print("street")
    }
}
