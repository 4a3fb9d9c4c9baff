import TaskEvents
import TraceStore
import TraceTransport

/// The jobs of a trace, with the cause of each: the graph that a ``JobReplay`` plays again.
///
/// A job is a part of a task's life in which it runs, or blocks, on one executor. Its cause is what put it into its queue: a moment of
/// another job, the end of the task's own previous job, or the world outside of the trace.
struct JobGraph {
    struct Job {
        let task: TaskID
        let executor: ExecutorID
        /// The time at which it was put into the queue, or its start if it was in none.
        var queued: UInt64
        let start: UInt64
        var end: UInt64
        /// Whether it began on the thread of its cause, in no queue. Such a job needs no turn on its executor.
        var isInline: Bool
        /// The job that caused it; -1 for the world outside, or for a time.
        var cause: Int32 = -1
        /// The job inside of which it ran, which takes its time as well; -1 for none.
        var outer: Int32 = -1
        /// Whether its cause resumed the task, which had suspended itself before.
        var isWoken = false

        var duration: UInt64 { end - start }
    }

    /// A job that waits for another one.
    struct Dependent {
        var job: Int32
        /// Whether it waits for the other one's end, and not for the point at which that queued it.
        var isAtEnd: Bool
    }

    private(set) var jobs: [Job] = []
    /// For a job that waited for several others, those that must have ended besides its cause.
    private var others: [Int: [Int32]] = [:]
    /// The jobs of each task, in the order of time.
    private(set) var byTask: [TaskID: Range<Int>] = [:]

    /// The sum of the times that tasks ran or blocked, and that of the times in which the kernel had no processor for them; the latter is 0
    /// without a profile.
    private(set) var ran: UInt64 = 0
    private(set) var runnable: UInt64 = 0

    init(_ store: TraceStore, _ steps: TaskSteps) {
        let courses = TaskCourses(store, steps)
        var waits: [Wait] = []
        for row in store.rows {
            let task = store[row]
            guard task.created != nil, !task.isTouchedByLoss else { continue }
            let course = TaskCourse(of: task, steps, in: store)
            append(task, course, &waits)
            addTimes(course, steps)
        }
        for index in jobs.indices { findCause(of: index, waits[index], courses) }
    }

    /// What a job waited for before it was queued.
    private struct Wait {
        var awaited = TaskID.none
        var waker = TaskID.none
        /// The time in which children of the task's group could end the wait, from the previous such wait on.
        var group: ClosedRange<UInt64>?
    }

    /// For each job, those that wait for it; and the number of jobs that each one waits for.
    func dependents() -> (dependents: [[Dependent]], counts: [Int]) {
        var dependents: [[Dependent]] = Array(repeating: [], count: jobs.count)
        var counts = Array(repeating: 0, count: jobs.count)
        func add(_ job: Int, to cause: Int, isAtEnd: Bool) {
            dependents[cause].append(Dependent(job: Int32(job), isAtEnd: isAtEnd))
            counts[job] += 1
        }
        for (index, job) in jobs.enumerated() {
            if job.cause >= 0 { add(index, to: Int(job.cause), isAtEnd: false) }
            for other in others[index] ?? [] { add(index, to: Int(other), isAtEnd: true) }
            // A task runs one job after the other, also where a change lets its wait end early.
            let isFollowing = index > 0 && jobs[index - 1].task == job.task && jobs[index - 1].end <= job.queued
            if isFollowing, job.cause >= 0, Int(job.cause) != index - 1 { add(index, to: index - 1, isAtEnd: true) }
        }
        return (dependents, counts)
    }

    /// The jobs that were woken together with others, by a task that did so several times: one that works on whatever waits when it runs.
    /// If it runs at another time, it may wake others.
    func wokenTogether() -> [Int] {
        let woken = Dictionary(grouping: jobs.indices.filter { jobs[$0].isWoken }) { jobs[$0].cause }.filter { $0.value.count > 1 }
        let byWaker = Dictionary(grouping: woken) { jobs[Int($0.key)].task }.filter { $0.value.count > 1 }
        return byWaker.values.flatMap { $0.flatMap(\.value) }
    }

    private mutating func append(_ task: TaskView, _ course: TaskCourse, _ waits: inout [Wait]) {
        let first = jobs.count
        var queued: UInt64?
        var wait = Wait()
        var grouped = course.created
        for stretch in course.stretches {
            switch stretch.state {
            case .pending, .suspended:
                // A run without a duration may stand between two waits for a group.
                let since = wait.group?.lowerBound ?? grouped
                wait = Wait(awaited: stretch.awaited, waker: stretch.waker)
                if stretch.state == .suspended, stretch.reason == .group {
                    wait.group = since...max(since, stretch.end)
                    grouped = stretch.end
                }
            case .queued: queued = stretch.start
            case .running, .blocked:
                if jobs.count > first, !stretch.isDequeued, jobs[jobs.count - 1].end == stretch.start,
                    jobs[jobs.count - 1].executor == stretch.executor
                {
                    jobs[jobs.count - 1].end = stretch.end
                    continue
                }
                jobs.append(
                    Job(
                        task: task.id, executor: stretch.executor, queued: queued ?? stretch.start, start: stretch.start, end: stretch.end,
                        isInline: !stretch.isDequeued && jobs.count == first))
                waits.append(wait)
                (queued, wait) = (nil, Wait())
            }
        }
        if jobs.count > first { byTask[task.id] = first..<jobs.count }
    }

    private mutating func addTimes(_ course: TaskCourse, _ steps: TaskSteps) {
        for stretch in course.stretches where stretch.state == .running || stretch.state == .blocked {
            ran = ran.plus(stretch.end - stretch.start)
            stretch.forEachPart(steps, from: stretch.start, until: stretch.end) { state, start, end in
                if state == .runnable { runnable = runnable.plus(end - start) }
            }
        }
    }

    // MARK: Causes

    /// Whether the runtime made a task for itself, which nothing in the program caused: for a timer.
    static func isTimer(_ task: TaskView) -> Bool { task.kind == .internal && task.chain == task.id }

    private mutating func findCause(of index: Int, _ wait: Wait, _ courses: TaskCourses) {
        let job = jobs[index]
        let isFirst = byTask[job.task]?.lowerBound == index
        guard let task = courses.store.task(job.task) else { return }
        let children = wait.group.map { courses.groupChildren(of: task, in: $0) } ?? []
        let antecedents = isFirst ? Self.antecedents(of: task, in: courses.store) : []
        var causes: [Int] = []
        for candidate in [wait.waker, wait.awaited] + antecedents + children where candidate != .none {
            // A timer began with the wait, so what it ends follows the task's own previous job.
            guard courses.store.task(candidate).map({ !Self.isTimer($0) }) ?? true else { continue }
            guard let found = self.job(of: candidate, before: job.queued) else { continue }
            causes.append(found)
            // The task that woke it is certain.
            if candidate == wait.waker, children.isEmpty {
                jobs[index].isWoken = true
                break
            }
        }
        if causes.isEmpty, !isFirst { causes = [index - 1] }
        guard let cause = causes.max(by: { jobs[$0].end < jobs[$1].end }) else { return }
        jobs[index].cause = Int32(cause)
        let others = Set(causes.filter { $0 != cause && jobs[$0].end <= job.queued })
        if !others.isEmpty { self.others[index] = others.sorted().map(Int32.init) }
        if job.isInline, jobs[cause].start <= job.start, job.end <= jobs[cause].end { jobs[index].outer = Int32(cause) }
    }

    /// The largest number of tasks that a job is taken to have waited for at once.
    private static let mostCauses = 64

    /// The tasks that a task continues. A join runs no job: its inputs stand for it, as far as they had ended when it did.
    private static func antecedents(of task: TaskView, in store: TraceStore) -> [TaskID] {
        task.antecedents.prefix(mostCauses).flatMap { id -> [TaskID] in
            guard let join = store.task(id), join.kind == .join, let ended = join.ended else { return [id] }
            return join.antecedents.prefix(mostCauses).filter { store.task($0)?.ended ?? .max <= ended }
        }
    }

    /// The job of a task that began last before a time.
    private func job(of task: TaskID, before time: UInt64) -> Int? {
        guard let range = byTask[task] else { return nil }
        let index = range.partitioningIndex { jobs[$0].start > time }
        return index > range.lowerBound ? index - 1 : nil
    }
}
