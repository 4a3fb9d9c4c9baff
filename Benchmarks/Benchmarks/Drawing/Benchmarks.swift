import Benchmark
import Measuring
import TerminalCanvas

/// Measures the inspector with 1,000,000 ended and 100,000 live tasks while 1,000,000 events a second arrive. The unit is microseconds of
/// processor time, so that other load on the machine does not count.
///
/// The budget: 16 ms for 99 of 100 frames on every screen, including frames that sort the list again; 50 ms from a key to the frame that
/// shows its effect; 20 ms from the last letter of a filter to the frame that says how many of 1,100,000 tasks match.
let benchmarks: @Sendable () -> Void = {
    let queries = [
        "state:faulted", "on:main", "name~sto", "total>30us", "chain:100001", "warn:any", "timedout", "busy>4us", "queued>2us", "hops>0",
        "next:0", "state:succeeded on:main name~sho total>10us", "-state:succeeded",
    ]

    for size in [Size(columns: 80, rows: 24), Size(columns: 120, rows: 36), Size(columns: 200, rows: 50)] {
        measureFrames(at: size)
    }
    Benchmark("A query", configuration: .rounds(40, of: queries.map { .us($0) })) { benchmark, inspector in
        for query in queries { benchmark.measurement(.us(query), inspector.ask(query) / 1_000) }
    } setup: {
        SharedInspector()
    }
    let filters: [BenchmarkMetric] = queries.flatMap { [.us($0), .us("\($0), the list")] }
    Benchmark("From a filter to its answer", configuration: .rounds(40, of: filters)) { benchmark, inspector in
        for query in queries {
            let (answer, list) = inspector.filter(query)
            benchmark.measurement(.us(query), answer / 1_000)
            benchmark.measurement(.us("\(query), the list"), list / 1_000)
        }
    } setup: {
        SharedInspector()
    }
    let lists: [BenchmarkMetric] = Arranging.all.flatMap { [.us("\($0), the longest frame"), .us("\($0), all frames")] }
    Benchmark("From a key to its picture", configuration: .rounds(40, of: [.us("an arrow")] + lists)) { benchmark, inspector in
        let key = inspector.key()
        benchmark.measurement(.us("an arrow"), key / 1_000)
        benchmark.limit(Double(key) / 1_000_000, "ms", atMost: 50, of: "an arrow", summary: "p99")
        for list in inspector.arrangeTasks() {
            benchmark.measurement(.us("\(list.what), the longest frame"), list.longest / 1_000)
            benchmark.measurement(.us("\(list.what), all frames"), list.whole / 1_000)
        }
    } setup: {
        SharedInspector()
    }
}

/// Frames of every screen, and steps through time, on a terminal of a size.
private func measureFrames(at size: Size) {
    let words = "\(size.columns)x\(size.rows)"
    Benchmark("A frame, \(words)", configuration: .rounds(300, of: Picture.all.map { .us($0.name) })) { benchmark, inspector in
        for picture in Picture.all {
            let time = inspector.frame(of: picture)
            benchmark.measurement(.us(picture.name), time / 1_000)
            benchmark.limit(Double(time) / 1_000_000, "ms", atMost: 16, of: picture.name, summary: "p99")
        }
    } setup: {
        SharedInspector(size)
    }
    let steps: [BenchmarkMetric] = Stepping.keys.flatMap { [.us($0.what), .us("\($0.what), the longest later frame")] }
    Benchmark("A step, \(words)", configuration: .rounds(40, of: steps)) { benchmark, inspector in
        for step in inspector.steps() {
            benchmark.measurement(.us(step.what), step.answer / 1_000)
            benchmark.limit(Double(step.answer) / 1_000_000, "ms", atMost: 50, of: step.what, summary: "p99")
            benchmark.measurement(.us("\(step.what), the longest later frame"), step.longest / 1_000)
            benchmark.limit(Double(step.longest) / 1_000_000, "ms", atMost: 16, of: "a frame after \(step.what)", summary: "p99")
        }
    } setup: {
        SharedInspector(size)
    }
}

extension BenchmarkMetric {
    fileprivate static func us(_ name: String) -> BenchmarkMetric { custom("\(name) (us)", useScalingFactor: false) }
}

/// The inspector that the rounds of one benchmark share.
private final class SharedInspector: @unchecked Sendable {
    // Benchmarks run one after the other on one thread.
    private var inspector: LoadedInspector

    init(_ size: Size = Size(columns: 200, rows: 50)) { inspector = LoadedInspector(ended: 1_000_000, live: 100_000, size: size) }

    func frame(of picture: Picture) -> Int { inspector.frame(of: picture) }
    func steps() -> [Stepping] { inspector.steps() }
    func ask(_ query: String) -> Int { inspector.ask(query) }
    func filter(_ query: String) -> (answer: Int, list: Int) { inspector.filter(query) }
    func arrangeTasks() -> [Arranging] { inspector.arrangeTasks() }
    func key() -> Int { inspector.key() }
}
