import Benchmark
import Measuring

/// What a frame takes with a million ended and a hundred thousand live tasks, while a million events a second come. The budget: 16 ms for 99
/// of 100 frames on every screen, and 50 ms from a key to its picture.
///
/// A filter: 20 ms from its last letter to the frame that says how many of 1,100,000 tasks fit and shows them.
let benchmarks: @Sendable () -> Void = {
    let screens = [
        ("1", "Tasks"), ("2", "Graph"), ("3", "Executors"), ("4", "Timeline"), ("5", "Faults"), ("6", "Hops"), ("7", "Warnings"),
    ]
    let queries = [
        "state:faulted", "on:main", "name~sto", "total>30us", "chain:100001", "warn:any", "timedout", "busy>4us", "queued>2us", "hops>0",
        "next:0", "state:succeeded on:main name~sho total>10us", "-state:succeeded",
    ]
    for (digit, name) in screens {
        Benchmark("A frame of \(name)", configuration: .rounds(300, of: .microseconds)) { benchmark, inspector in
            benchmark.measurement(.microseconds, inspector.draw(Character(digit)) / 1_000)
        } setup: {
            SharedInspector()
        }
    }
    for query in queries {
        Benchmark("A query, \(query)", configuration: .rounds(60, of: .microseconds)) { benchmark, inspector in
            benchmark.measurement(.microseconds, inspector.ask(query) / 1_000)
        } setup: {
            SharedInspector()
        }
        Benchmark("A filter to its picture, \(query)", configuration: .rounds(60, of: .microseconds)) { benchmark, inspector in
            benchmark.measurement(.microseconds, inspector.filter(query) / 1_000)
        } setup: {
            SharedInspector()
        }
    }
    Benchmark("The longest frame of sorting", configuration: .rounds(60, of: .microseconds)) { benchmark, inspector in
        benchmark.measurement(.microseconds, inspector.sort() / 1_000)
    } setup: {
        SharedInspector()
    }
    Benchmark("From a key to its picture", configuration: .rounds(300, of: .microseconds)) { benchmark, inspector in
        benchmark.measurement(.microseconds, inspector.key() / 1_000)
    } setup: {
        SharedInspector()
    }
}

/// The inspector of one benchmark.
private final class SharedInspector: @unchecked Sendable {
    // Benchmarks run on one thread, one after the other.
    private var inspector = LoadedInspector(ended: 1_000_000, live: 100_000)

    func draw(_ screen: Character) -> Int { inspector.frames(1, of: screen).max() ?? 0 }
    func ask(_ query: String) -> Int { inspector.ask(query) }
    func filter(_ query: String) -> Int { inspector.filter(query) }
    func sort() -> Int { inspector.sort() }
    func key() -> Int { inspector.keys(1).max() ?? 0 }
}
