import TaskEvents
import TraceStore
import TraceTransport

/// Plays the jobs of a trace again: each is queued when its cause has got so far, and runs when its executor has a turn for it.
struct JobReplay {
    /// The number of jobs that an executor runs at once; nil for no limit.
    typealias Widths = [ExecutorID: Int]

    private let jobs: [JobGraph.Job]
    private let widths: Widths
    /// The time that each job takes in this play.
    private let durations: [UInt64]
    private var dependents: [[Int32]]
    private(set) var starts: [UInt64]
    /// When each job was queued in this play.
    private(set) var queued: [UInt64]
    private var running: [ExecutorID: Int] = [:]
    private var queues: [ExecutorID: [Int32]] = [:]
    private var heads: [ExecutorID: Int] = [:]
    private var moments = MomentHeap()

    init(_ graph: JobGraph, widths: Widths, durations: [UInt64]) {
        jobs = graph.jobs
        self.widths = widths
        self.durations = durations
        dependents = Array(repeating: [], count: jobs.count)
        starts = Array(repeating: 0, count: jobs.count)
        queued = starts
        for (index, job) in jobs.enumerated() {
            if job.cause >= 0 {
                dependents[Int(job.cause)].append(Int32(index))
            } else {
                moments.insert(Moment(time: job.queued, job: Int32(index), isEnd: false))
            }
        }
        while let moment = moments.removeFirst() {
            if moment.isEnd { end(Int(moment.job), at: moment.time) } else { queue(Int(moment.job), at: moment.time) }
        }
    }

    func end(of job: Int) -> UInt64 { starts[job].plus(durations[job]) }

    private mutating func queue(_ index: Int, at time: UInt64) {
        queued[index] = time
        let job = jobs[index]
        guard !job.isInline, let width = widths[job.executor] else {
            start(index, at: time)
            return
        }
        if running[job.executor, default: 0] < width {
            running[job.executor, default: 0] += 1
            start(index, at: time)
        } else {
            queues[job.executor, default: []].append(Int32(index))
        }
    }

    private mutating func start(_ index: Int, at time: UInt64) {
        starts[index] = time
        let job = jobs[index]
        if !job.isInline, widths[job.executor] != nil {
            moments.insert(Moment(time: time.plus(durations[index]), job: Int32(index), isEnd: true))
        }
        for dependent in dependents[index] {
            let other = jobs[Int(dependent)]
            let offset = other.queued > job.start ? other.queued - job.start : 0
            // What follows the job's end by itself, such as a timer, takes the same time as before.
            let inside = min(offset, job.duration)
            let scaled = job.duration == 0 ? 0 : inside.times(Double(durations[index]) / Double(job.duration))
            moments.insert(Moment(time: time.plus(scaled).plus(offset - inside), job: dependent, isEnd: false))
        }
    }

    private mutating func end(_ index: Int, at time: UInt64) {
        let executor = jobs[index].executor
        let head = heads[executor, default: 0]
        guard let queue = queues[executor], head < queue.count else {
            running[executor, default: 1] -= 1
            return
        }
        heads[executor] = head + 1
        start(Int(queue[head]), at: time)
    }
}

private struct Moment {
    let time: UInt64
    let job: Int32
    let isEnd: Bool

    /// At equal times, jobs end before others are queued, and earlier jobs come first.
    static func < (one: Moment, other: Moment) -> Bool {
        (one.time, one.isEnd ? 0 : 1, one.job) < (other.time, other.isEnd ? 0 : 1, other.job)
    }
}

/// The moments to come, the earliest first: a binary heap.
private struct MomentHeap {
    private var moments: [Moment] = []

    mutating func insert(_ moment: Moment) {
        moments.append(moment)
        var index = moments.count - 1
        while index > 0, moments[index] < moments[(index - 1) / 2] {
            moments.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> Moment? {
        guard let first = moments.first else { return nil }
        let last = moments.removeLast()
        guard !moments.isEmpty else { return first }
        moments[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < moments.count && moments[child] < moments[least] { least = child }
            guard least != index else { return first }
            moments.swapAt(index, least)
            index = least
        }
    }
}
