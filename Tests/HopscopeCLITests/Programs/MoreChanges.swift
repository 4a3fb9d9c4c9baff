import Dispatch
import Foundation
import Glibc

/// Programs that each exist twice, as those of `Changes`.
@main
enum MoreChanges {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "lets": await lets()
        case "window": await window()
        case "gate": await gated()
        case "stream": await streams()
        case "tree": await trees()
        case "mixed": await mixed()
        case "retries": await retries()
        case "blocks": await blocks()
        case "fewer": await fewer(Workers(isChanged ? 2 : 6))
        case "more": await more(Workers(isChanged ? 3 : 2))
        case "mains": await mains()
        case let name: fatalError("There is no program \(name ?? "").")
        }
    }

    /// Two children at once, the longer of which becomes the shorter.
    private static func lets() async {
        let workers = Workers(8)
        await arrivals(every: 11) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                async let one: Void = { work(6 + Double(number % 4)) }()
                let query = Task(name: "query", executorPreference: workers) { work(changed(14 + Double(number % 7), 0.25)) }  // lets
                async let other: Void = query.value
                _ = await (one, other)
                work(1)
            }
        }
    }

    /// A group that has four children at a time.
    private static func window() async {
        let workers = Workers(6)
        await arrivals(every: 40, count: 40) { number in
            Task(name: "batch \(number)", executorPreference: workers) {
                await withTaskGroup(of: Void.self) { group in
                    for item in 0..<12 {
                        if item >= 4 { await group.next() }
                        group.addTask { work(changed(3 + Double((item &+ number) % 5), 0.5)) }  // window
                    }
                }
            }
        }
    }

    /// An asynchronous semaphore of two.
    private static func gated() async {
        let workers = Workers(10)
        let gate = Gate(2)
        await arrivals(every: 5) { number in
            Task(name: "request \(number)", executorPreference: workers) {  // gate
                await gate.enter()
                work(changed(9 + Double(number % 3), 0.5))
                await gate.leave()
            }
        }
    }

    /// Each chain has a producer and a consumer.
    private static func streams() async {
        let workers = Workers(8)
        await arrivals(every: 50, count: 30) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                let (stream, sink) = AsyncStream.makeStream(of: Int.self)
                let producer = Task(name: "produce", executorPreference: workers) {  // stream
                    for item in 0..<8 {
                        work(changed(4 + Double((item + number) % 3), 0.5))
                        sink.yield(item)
                        await Task.yield()
                    }
                    sink.finish()
                }
                for await item in stream { work(1 + Double(item % 2)) }
                await producer.value
            }
        }
    }

    private static func trees() async {
        let workers = Workers(16)
        @Sendable func grow(_ depth: Int, _ number: Int) async {
            work(1)
            guard depth > 0 else {
                await Task(name: "leaf", executorPreference: workers) { work(changed(6 + Double(number % 5), 2)) }.value  // tree
                return
            }
            async let left: Void = grow(depth - 1, number)
            async let right: Void = grow(depth - 1, number + 1)
            _ = await (left, right)
            work(1)
        }
        await arrivals(every: 30, count: 50) { number in
            Task(name: "request \(number)", executorPreference: workers) { await grow(2, number) }
        }
    }

    /// Reads and writes wait for one actor; only the writes change.
    private static func mixed() async {
        let workers = Workers(12)
        let store = Store()
        await arrivals(every: 4, count: 150) { number in
            if number % 3 == 0 {
                return Task(name: "write \(number)", executorPreference: workers) { await store.hold(changed(7, 1 / 3)) }  // mixed
            }
            return Task(name: "read \(number)", executorPreference: workers) { await store.hold(2 + Double(number % 2)) }
        }
    }

    /// Attempts with pauses between them.
    private static func retries() async {
        let workers = Workers(8)
        await arrivals(every: 9) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                for attempt in 0...(number % 3) {
                    await Task(name: "attempt", executorPreference: workers) { work(changed(7, 0.5)) }.value  // retries
                    if attempt < number % 3 { try? await Task.sleep(nanoseconds: 4_000_000) }
                }
            }
        }
    }

    /// Work before and after a block on a serial queue of Dispatch.
    private static func blocks() async {
        let workers = Workers(8)
        let queue = DispatchQueue(label: "disk")
        await arrivals(every: 10) { number in
            Task(name: "request \(number)", executorPreference: workers) {  // blocks
                work(changed(6, 0.5))
                await withCheckedContinuation { continuation in
                    queue.async {
                        work(4 + Double(number % 4))
                        continuation.resume()
                    }
                }
                work(changed(4, 0.5))
            }
        }
    }

    private static func fewer(_ workers: Workers) async {
        await arrivals(every: 12) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                work(3)
                await withTaskGroup(of: Void.self) { group in
                    for child in 0..<3 { group.addTask { work(4 + Double((child + number) % 3)) } }
                }
                work(1)
            }
        }
    }

    private static func more(_ workers: Workers) async {
        await arrivals(every: 6, count: 150) { number in
            Task(name: "request \(number)", executorPreference: workers) { work(number % 7 == 0 ? 30 : 8 + Double(number % 5)) }
        }
    }

    private static func mains() async {
        await arrivals(every: 14) { number in
            Task(name: "tap \(number)") { @MainActor in  // mains
                work(changed(2 + Double(number % 3), 2))
                await Task.yield()
                work(changed(2, 2))
            }
        }
    }
}
