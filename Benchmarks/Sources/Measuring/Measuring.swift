import Benchmark
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension BenchmarkMetric {
    /// One time against another, taken in turn in one run: in thousandths, because a metric is a whole number. 1,000 is as fast.
    public static let ratio = custom("ratio (thousandths)", useScalingFactor: false)
    public static let picoseconds = custom("ps an event", useScalingFactor: false)
    public static let bytes = custom("bytes each", useScalingFactor: false)
    public static let rate = custom("thousands a second", polarity: .prefersLarger, useScalingFactor: false)
    public static let milliseconds = custom("ms", useScalingFactor: false)
    public static let microseconds = custom("us", useScalingFactor: false)
}

extension Benchmark.Configuration {
    /// So many measurements of one metric, after one to warm up.
    public static func rounds(_ rounds: Int, of metric: BenchmarkMetric = .ratio) -> Self {
        Self.rounds(rounds, of: [metric])
    }

    /// So many measurements of each of some metrics.
    public static func rounds(_ rounds: Int, of metrics: [BenchmarkMetric]) -> Self {
        .init(metrics: metrics, warmupIterations: 1, maxDuration: .seconds(120), maxIterations: rounds)
    }
}

/// Nanoseconds that `body` takes.
public func nanoseconds(of body: () throws -> Void) rethrows -> Int {
    let time = try ContinuousClock().measure(body)
    return Int(time.components.seconds) * 1_000_000_000 + Int(time.components.attoseconds / 1_000_000_000)
}

/// Nanoseconds of this thread's own on a processor: what else the machine does takes no part in it, but for the caches.
public func processorNanoseconds(of body: () throws -> Void) rethrows -> Int {
    func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
    let before = now()
    try body()
    return now() - before
}

public func thousandths(_ time: Int, of other: Int) -> Int {
    time * 1_000 / max(other, 1)
}
