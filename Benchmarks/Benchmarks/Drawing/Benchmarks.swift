import Benchmark
import Measuring

/// Measures the inspector with 1,000,000 ended and 100,000 live tasks while 1,000,000 events a second arrive. The unit is microseconds of
/// processor time, so that other load on the machine does not count.
///
/// The budget: 16 ms for 99 of 100 frames on every screen, including frames that sort the list again; 50 ms from a key to the frame that
/// shows its effect; 20 ms from the last letter of a filter to the frame that says how many of 1,100,000 tasks match.
let benchmarks: @Sendable () -> Void = {
    let screens: [(key: Character, name: String)] = [
        ("1", "Tasks"), ("2", "Graph"), ("3", "Executors"), ("4", "Timeline"), ("5", "Faults"), ("6", "Hops"), ("7", "Warnings"),
    ]
    let queries = [
        "state:faulted", "on:main", "name~sto", "total>30us", "chain:100001", "warn:any", "timedout", "busy>4us", "queued>2us", "hops>0",
        "next:0", "state:succeeded on:main name~sho total>10us", "-state:succeeded",
    ]

    Benchmark("A frame", configuration: .rounds(300, of: screens.map { .us($0.name) })) { benchmark, inspector in
        for screen in screens {
            let time = inspector.frame(of: screen.key)
            benchmark.measurement(.us(screen.name), time / 1_000)
            benchmark.limit(Double(time) / 1_000_000, "ms", atMost: 16, of: screen.name, summary: "p99")
        }
    } setup: {
        SharedInspector()
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

extension BenchmarkMetric {
    fileprivate static func us(_ name: String) -> BenchmarkMetric { custom("\(name) (us)", useScalingFactor: false) }
}

/// The inspector that the rounds of one benchmark share.
private final class SharedInspector: @unchecked Sendable {
    // Benchmarks run one after the other on one thread.
    private var inspector = LoadedInspector(ended: 1_000_000, live: 100_000)

    func frame(of screen: Character) -> Int { inspector.frame(of: screen) }
    func ask(_ query: String) -> Int { inspector.ask(query) }
    func filter(_ query: String) -> (answer: Int, list: Int) { inspector.filter(query) }
    func arrangeTasks() -> [Arranging] { inspector.arrangeTasks() }
    func key() -> Int { inspector.key() }
}
