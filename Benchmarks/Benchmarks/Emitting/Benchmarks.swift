import Benchmark
import CTraceLanes
import Foundation
import Measuring
import TaskEvents

/// Compares the cost of an event with the cost of a bare timestamp. The budget: at most 1.5 times; with a second thread emitting, at most
/// 1.3 times that; at most 2 ns when nothing is recorded.
let benchmarks: @Sendable () -> Void = {
    let events = 1_000_000

    Benchmark("An event against a bare timestamp", configuration: .rounds(25)) { benchmark in
        let bus = try EventBus()
        let bare = nanoseconds { for _ in 0..<events { blackHole(trace_clock_now(TRACE_CLOCK_COUNTER.rawValue)) } }
        bus.start()
        let emitting = nanoseconds { emit(events) }
        bus.stop()
        benchmark.compare(emitting, with: "rdtsc", bare, operations: events, atMost: 1.5)
    }

    Benchmark("An event while a second thread emits, against one alone", configuration: .rounds(25)) { benchmark in
        let bus = try EventBus()
        bus.start()
        let alone = nanoseconds { emit(events) }
        let other = Thread { emit(events * 4) }
        other.start()
        while bus.laneCount < 2 {}
        let accompanied = nanoseconds { emit(events) }
        while !other.isFinished {}
        bus.stop()
        benchmark.compare(accompanied, with: "one thread", alone, operations: events, atMost: 1.3)
    }

    Benchmark("An event when nothing is recorded", configuration: .rounds(25, of: .picoseconds)) { benchmark in
        let picoseconds = nanoseconds { emit(events) } * 1_000 / events
        benchmark.measurement(.picoseconds, picoseconds)
        benchmark.limit(Double(picoseconds) / 1_000, "ns", atMost: 2)
    }
}

private func emit(_ count: Int) {
    for task in 1...count { Emit.resumed(TaskID(rawValue: UInt64(task))) }
}
