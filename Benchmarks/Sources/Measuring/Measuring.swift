import Benchmark
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension BenchmarkMetric {
    /// The ratio of two times measured in turn in one run, in thousandths, because a metric is an integer. 1,000 means equally fast.
    public static let ratio = custom("ratio (thousandths)", useScalingFactor: false)
    public static let picoseconds = custom("ps an event", useScalingFactor: false)
    public static let bytes = custom("bytes each", useScalingFactor: false)
    public static let rate = custom("thousands a second", polarity: .prefersLarger, useScalingFactor: false)
    public static let milliseconds = custom("ms", useScalingFactor: false)
    public static let microseconds = custom("us", useScalingFactor: false)
}

extension Benchmark.Configuration {
    /// Measures one metric `rounds` times, after one warm-up round.
    public static func rounds(_ rounds: Int, of metric: BenchmarkMetric = .ratio) -> Self {
        Self.rounds(rounds, of: [metric])
    }

    /// Measures each of several metrics `rounds` times, after one warm-up round.
    public static func rounds(_ rounds: Int, of metrics: [BenchmarkMetric]) -> Self {
        .init(metrics: metrics, warmupIterations: 1, maxDuration: .seconds(120), maxIterations: rounds)
    }
}

/// Nanoseconds that `body` takes.
public func nanoseconds(of body: () throws -> Void) rethrows -> Int {
    let time = try ContinuousClock().measure(body)
    return Int(time.components.seconds) * 1_000_000_000 + Int(time.components.attoseconds / 1_000_000_000)
}

/// Nanoseconds of processor time of this thread. Other load on the machine affects it only through the caches.
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
