import Dispatch
import Foundation
import Glibc

/// Programs that each exist twice, as those of `Changes`.
@main
enum OtherChanges {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "cache": await cached()
        case "batch": await batched()
        case "twice": await twice()
        case "steps": await steps()
        case "fanin": await fanIn(Workers(isChanged ? 8 : 4))
        case "single": await single(Workers(isChanged ? 1 : 3))
        case "taps": await taps()
        case "queued": await queued()
        case "timeout": await timeouts()
        case "consumers": await consumers()
        case "nested": await nested()
        case "spins": await spins()
        case let name: fatalError("There is no program \(name ?? "").")
        }
    }

    private static func cached() async {
        let workers = Workers(8)
        let cache = Cache()
        await arrivals(every: 7, count: 120) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                work(1)
                if await cache.miss(number) {
                    await Task(name: "fetch", executorPreference: workers) { work(changed(18, 1 / 3)) }.value  // cache
                }
                work(1)
            }
        }
    }

    private static func batched() async {
        let workers = Workers(4)
        let batcher = Batcher()
        let flusher = Task(name: "flusher", executorPreference: workers) {  // batch
            for _ in 0..<60 {
                try? await Task.sleep(nanoseconds: 20_000_000)
                let waiting = await batcher.take()
                work(changed(8, 0.5))
                for one in waiting { one.resume() }
            }
        }
        await arrivals(every: 9, count: 100) { number in
            Task(name: "request \(number)", executorPreference: workers) { await batcher.add() }
        }
        await flusher.value
    }

    private static func twice() async {
        let workers = Workers(8)
        let (first, second) = (Store(), Store())
        await arrivals(every: 6) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await first.hold(3 + Double(number % 3))
                await Task(name: "write", executorPreference: workers) { await second.hold(changed(7, 0.5)) }.value  // twice
            }
        }
    }

    private static func steps() async {
        let workers = Workers(8)
        await arrivals(every: 25, count: 50) { number in
            Task(name: "request \(number)", executorPreference: workers) {  // steps
                for step in 0..<4 {
                    work(changed(2 + Double((number + step) % 3), 2))
                    try? await Task.sleep(nanoseconds: 5_000_000)
                }
            }
        }
    }

    private static func fanIn(_ workers: Workers) async {
        await arrivals(every: 45, count: 40) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await withTaskGroup(of: Void.self) { group in
                    for child in 0..<8 { group.addTask { work(6 + Double((child * 3 + number) % 7)) } }
                }
                work(1)
            }
        }
    }

    private static func single(_ workers: Workers) async {
        await arrivals(every: 8) { number in
            Task(name: "request \(number)", executorPreference: workers) { work(number % 10 == 0 ? 15 : 5 + Double(number % 3)) }
        }
    }

    private static func taps() async {
        let workers = Workers(4)
        await arrivals(every: 15) { number in
            Task(name: "tap \(number)") { @MainActor in
                work(2)
                await Task(name: "decode", executorPreference: workers) { work(changed(8 + Double(number % 4), 0.5)) }.value  // taps
                work(2 + Double(number % 2))
            }
        }
    }

    private static func queued() async {
        let workers = Workers(8)
        let disk = Disk()
        await arrivals(every: 7) { number in
            Task(name: "request \(number)", executorPreference: workers) {  // queued
                work(changed(1, 0.5))
                await disk.hold(changed(5 + Double(number % 3), 0.5))
            }
        }
    }

    private static func timeouts() async {
        let workers = Workers(8)
        await arrivals(every: 15, count: 80) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { work(changed(12 + Double(number % 6) * 3, 0.5)) }  // timeout
                    group.addTask { try? await Task.sleep(nanoseconds: 60_000_000) }
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private static func consumers() async {
        let workers = Workers(6)
        let (stream, sink) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
        let channel = Channel(stream)
        let consumers = (0..<3).map { number in
            Task(name: "consumer \(number)", executorPreference: workers) {  // consumers
                while let item = await channel.next() {
                    work(changed(12, 0.5))
                    item.resume()
                }
            }
        }
        await arrivals(every: 5, count: 120) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await withCheckedContinuation { _ = sink.yield($0) }
            }
        }
        sink.finish()
        for consumer in consumers { await consumer.value }
    }

    private static func nested() async {
        let workers = Workers(10)
        await arrivals(every: 24, count: 60) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await withTaskGroup(of: Void.self) { outer in
                    for branch in 0..<2 {
                        outer.addTask {
                            work(2)
                            await withTaskGroup(of: Void.self) { inner in
                                for leaf in 0..<3 {
                                    let time = changed(4 + Double((branch + leaf + number) % 4), 2)
                                    inner.addTask { work(time) }  // nested
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func spins() async {
        await arrivals(every: 10) { number in
            Task(name: "request \(number)") {  // spins
                spin(changed(3 + Double(number % 3), 0.5))
                await Task.yield()
                spin(changed(1, 0.5))
            }
        }
    }
}

private func spin(_ milliseconds: Double) {
    var begin = timespec(), now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin)
    repeat {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    } while Double(now.tv_sec - begin.tv_sec) * 1e3 + Double(now.tv_nsec - begin.tv_nsec) / 1e6 < milliseconds
}
private actor Cache { func miss(_ number: Int) -> Bool { number % 4 == 0 } }
private actor Batcher {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    func add() async { await withCheckedContinuation { waiting.append($0) } }
    func take() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }
}
private actor Channel {
    private var iterator: AsyncStream<CheckedContinuation<Void, Never>>.Iterator
    private var isBusy = false
    private var turns: [CheckedContinuation<Void, Never>] = []
    init(_ stream: AsyncStream<CheckedContinuation<Void, Never>>) { iterator = stream.makeAsyncIterator() }
    func next() async -> CheckedContinuation<Void, Never>? {
        if isBusy { await withCheckedContinuation { turns.append($0) } }
        isBusy = true
        var copy = iterator
        let item = await copy.next(isolation: self)
        isBusy = false
        if !turns.isEmpty {
            isBusy = true
            turns.removeFirst().resume()
        }
        return item
    }
}
private final class Line: SerialExecutor, @unchecked Sendable {
    let queue = DispatchQueue(label: "disk")
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
private actor Disk {
    private nonisolated let line = Line()
    nonisolated var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }
    func hold(_ milliseconds: Double) { work(milliseconds) }
}
