import TaskEvents
import TraceTransport

/// When each thread of the program had a processor, had none, or waited in the kernel, by a profile's context switches.
package struct ThreadTimes {
    package enum State: Sendable {
        /// It executed on a processor.
        case onCPU
        /// The kernel had given its processor to another thread.
        case runnable
        /// It waited in the kernel.
        case waiting
        case unknown
    }

    package struct Sample: BitwiseCopyable, Sendable {
        package var time: UInt64
        /// The index of its stack in the profile.
        package var stack: UInt32
    }

    private struct Change {
        var time: UInt64
        var state: State
    }

    /// Where the records of switches end, because there were too many.
    package struct End: Sendable {
        package let time: UInt64
        /// Switches a second.
        package let rate: UInt32

        /// - Parameter time: the time of the end, in words.
        package func sentence(at time: String) -> String {
            "From \(time) on, it is unknown which threads had a processor: "
                + "\(rate) switches a second are more than '--profile-switches' allows."
        }
    }

    /// From here on, no thread's state is known.
    package private(set) var end: End?
    private var changes: [UInt32: [Change]] = [:]
    private var samples: [UInt32: [Sample]] = [:]

    package init(_ profile: ThreadProfile) {
        for record in profile.records.sorted(by: { $0.time < $1.time }) {
            switch record.kind {
            case .sample: samples[record.thread, default: []].append(Sample(time: record.time, stack: record.value))
            case .unswitched:
                end = end ?? End(time: record.time, rate: record.value)
                fallthrough
            case .lost: for thread in changes.keys { changes[thread]?.append(Change(time: record.time, state: .unknown)) }
            case .waited, .preempted, .resumed: append(record)
            }
        }
    }

    private mutating func append(_ record: ThreadProfile.Record) {
        let state: State = record.kind == .resumed ? .onCPU : record.kind == .preempted ? .runnable : .waiting
        if changes[record.thread] == nil {
            // A thread loses only a processor that it had.
            changes[record.thread] = [Change(time: 0, state: record.kind == .resumed ? .unknown : .onCPU)]
        }
        changes[record.thread]?.append(Change(time: record.time, state: state))
    }

    package var threads: [UInt32] { samples.keys.sorted() }

    package func samples(of thread: UInt32) -> [Sample] { samples[thread] ?? [] }

    /// Calls `body` with the parts of a time in which a thread was in one state, from the first to the last.
    package func forEach(of thread: UInt32, from start: UInt64, until end: UInt64, _ body: (State, UInt64, UInt64) -> Void) {
        guard start < end else { return }
        guard let changes = changes[thread] else { return body(.unknown, start, end) }
        var index = changes.partitioningIndex { $0.time > start }
        var time = start
        while time < end {
            let state = index > 0 ? changes[index - 1].state : .unknown
            let next = index < changes.count ? min(end, changes[index].time) : end
            if next > time { body(state, time, next) }
            time = max(time, next)
            index += 1
        }
    }
}
