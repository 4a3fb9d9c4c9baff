import Benchmark
import CAllocator
import Measuring
import NIOCore
import NIOPosix
import TaskEvents
import TaskRuntime

/// Compares the cost of a chain's link with a future of swift-nio, which records nothing, and measures what recording adds. The budget: at
/// most the cost of NIO's future, at most 15 % more when recording, 160 bytes for a pending task, 320 with one continuation.
let benchmarks: @Sendable () -> Void = {
    let chains = 300

    Benchmark("A link of a chain from a pending root, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let theirs = try onLoop { loop in nanoseconds { for _ in 0..<chains { futureChain(links: 1_000, on: loop) } } }
        let ours = nanoseconds { for _ in 0..<chains { chain(links: 1_000) } }
        benchmark.measurement(.ratio, thousandths(ours, of: theirs))
    }

    Benchmark("A continuation of an ended task, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let task = ChainTask(0)
        let theirs = try onLoop { loop in
            let future = loop.makeSucceededFuture(0)
            return nanoseconds { for _ in 0..<chains * 1_000 { blackHole(future.map { $0 &+ 1 }) } }
        }
        let ours = nanoseconds { for _ in 0..<chains * 1_000 { blackHole(task.continueOnSuccessWith(on: .immediate) { $0 &+ 1 }) } }
        benchmark.measurement(.ratio, thousandths(ours, of: theirs))
    }

    Benchmark("A recorded link, against one that is not", configuration: .rounds(25)) { benchmark in
        let bus = try EventBus()
        let silent = nanoseconds { for _ in 0..<chains { chain(links: 1_000) } }
        bus.start()
        let recorded = nanoseconds { for _ in 0..<chains { chain(links: 1_000) } }
        bus.stop()
        benchmark.measurement(.ratio, thousandths(recorded, of: silent))
    }

    Benchmark("A pending task", configuration: .rounds(3, of: .bytes)) { benchmark in
        let count = 1_000_000
        var sources: [TaskCompletionSource<Int>] = []
        sources.reserveCapacity(count)
        let before = Int(allocated_bytes())
        for _ in 0..<count { sources.append(TaskCompletionSource<Int>()) }
        benchmark.measurement(.bytes, (Int(allocated_bytes()) - before) / count)
        for source in sources { source.set(0) }
    }

    Benchmark("A pending task with one continuation", configuration: .rounds(3, of: .bytes)) { benchmark in
        let count = 1_000_000
        var sources: [TaskCompletionSource<Int>] = []
        sources.reserveCapacity(count)
        let before = Int(allocated_bytes())
        for _ in 0..<count {
            let source = TaskCompletionSource<Int>()
            source.task.continueOnSuccessWith(on: .immediate) { $0 &+ 1 }
            sources.append(source)
        }
        benchmark.measurement(.bytes, (Int(allocated_bytes()) - before) / count)
        for source in sources { source.set(0) }
    }
}

private func chain(links: Int) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: .immediate) { $0 &+ 1 } }
    root.set(0)
    blackHole(last.result)
}

/// Runs `body` on the loop's own thread, where its futures are fastest.
private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> Int) throws -> Int {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return try loop.submit { body(loop) }.wait()
}

private func futureChain(links: Int, on loop: any EventLoop) {
    let root = loop.makePromise(of: Int.self)
    var last = root.futureResult
    for _ in 0..<links { last = last.map { $0 &+ 1 } }
    root.succeed(0)
    blackHole(last)
}
