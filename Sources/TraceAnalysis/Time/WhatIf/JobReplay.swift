import TaskEvents
import TraceTransport

/// Plays the jobs of a trace again: each is queued when its causes have got so far, and runs when its executor has a turn for it. From the
/// turn until its start, it takes the time that it took in the trace.
struct JobReplay {
    /// The number of jobs that an executor runs at once; nil for no limit.
    typealias Widths = [ExecutorID: Int]

    private let jobs: [JobGraph.Job]
    private let widths: Widths
    /// The time that each job takes in this play.
    private let durations: [UInt64]
    /// The time that each job takes from its turn until its start.
    private let delays: [UInt64]
    private var dependents: [[JobGraph.Dependent]]
    /// The number of causes that each job still waits for, and the time at which the last of the others had got so far.
    private var missing: [Int]
    private var ready: [UInt64]
    private(set) var starts: [UInt64]
    /// When each job was queued in this play.
    private(set) var queued: [UInt64]
    private var running: [ExecutorID: Int] = [:]
    private var queues: [ExecutorID: [Int32]] = [:]
    private var heads: [ExecutorID: Int] = [:]
    private var moments = EarliestFirst<Moment>()

    init(_ graph: JobGraph, widths: Widths, durations: [UInt64], delays: [UInt64]) {
        jobs = graph.jobs
        self.widths = widths
        self.durations = durations
        self.delays = delays
        (dependents, missing) = graph.dependents()
        starts = Array(repeating: 0, count: jobs.count)
        (queued, ready) = (starts, starts)
        for (index, job) in jobs.enumerated() where missing[index] == 0 {
            moments.insert(Moment(time: job.queued, job: Int32(index), isEnd: false))
        }
        while let moment = moments.removeFirst() {
            if moment.isEnd { end(Int(moment.job), at: moment.time) } else { queue(Int(moment.job), at: moment.time) }
        }
    }

    func end(of job: Int) -> UInt64 { starts[job].plus(durations[job]) }

    /// Whether the cause of a job comes before the task's previous job ends, which was the other way round in the trace.
    func isCausedTooEarly(_ index: Int) -> Bool {
        let cause = Int(jobs[index].cause)
        guard index > 0, cause >= 0, jobs[index - 1].task == jobs[index].task else { return false }
        return moment(of: index, after: cause, at: starts[cause]) < end(of: index - 1)
    }

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

    private mutating func start(_ index: Int, at turn: UInt64) {
        let time = turn.plus(delays[index])
        starts[index] = time
        let job = jobs[index]
        if !job.isInline, widths[job.executor] != nil {
            moments.insert(Moment(time: time.plus(durations[index]), job: Int32(index), isEnd: true))
        }
        for dependent in dependents[index] {
            let other = Int(dependent.job)
            ready[other] = max(ready[other], dependent.isAtEnd ? time.plus(durations[index]) : moment(of: other, after: index, at: time))
            missing[other] -= 1
            if missing[other] == 0 { moments.insert(Moment(time: ready[other], job: dependent.job, isEnd: false)) }
        }
    }

    /// When a job is queued whose cause is at the same point of its run as in the trace.
    private func moment(of index: Int, after cause: Int, at start: UInt64) -> UInt64 {
        let (job, cause, duration) = (jobs[index], jobs[cause], durations[cause])
        let offset = job.queued > cause.start ? job.queued - cause.start : 0
        // What follows the cause's end by itself, such as a timer, takes the same time as before.
        let inside = min(offset, cause.duration)
        let scaled = cause.duration == 0 ? 0 : inside.times(Double(duration) / Double(cause.duration))
        return start.plus(scaled).plus(offset - inside)
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

private struct Moment: Comparable {
    let time: UInt64
    let job: Int32
    let isEnd: Bool

    /// At equal times, jobs end before others are queued, and earlier jobs come first.
    static func < (one: Moment, other: Moment) -> Bool {
        (one.time, one.isEnd ? 0 : 1, one.job) < (other.time, other.isEnd ? 0 : 1, other.job)
    }
}
