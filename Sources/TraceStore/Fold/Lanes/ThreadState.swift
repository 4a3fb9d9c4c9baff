import TaskEvents
import TraceTransport

/// The bodies that run on one thread.
struct ThreadState {
    /// The kernel's id of the thread that uses the lane.
    var thread: UInt64 = 0
    /// The thread's wait, while the thread blocks.
    var wait: ThreadWait?
    /// The innermost body. Most threads run only one, so it is stored outside the array.
    private var innermost: Body?
    /// The enclosing bodies, outermost first.
    private var outer: [Body] = []
    /// The paths of the bodies that have one.
    private var paths: [ExecutorPath] = []

    struct Body {
        var task: UInt64
        var began: UInt64
        /// The start of the time on `executor`. A slice that enters free actors may have moved on since; both are the last known values.
        var since: UInt64
        /// Nanoseconds of this body that have been attributed to executors.
        var attributed: UInt64 = 0
        /// Nanoseconds since `since` that inner bodies ran on the same executor, which are attributed to it already.
        var nested: UInt64 = 0
        /// The time at which another thread's body began on the actor, by which this one had left it; 0 if none did.
        var leftBy: UInt64 = 0
        /// The name and the call site of a closure that belongs to no task; 0 if unknown.
        var label: UInt32
        /// The current executor.
        var executor: UInt16
        private var flags: Flags

        /// No `Bool` members: an optional of a struct that has some is taken apart bit by bit when it is copied.
        private struct Flags: OptionSet {
            var rawValue: UInt8

            static let isJob = Flags(rawValue: 1)
            static let isInSame = Flags(rawValue: 2)
            static let hasPath = Flags(rawValue: 4)
        }

        init(task: UInt64, at time: UInt64, on executor: UInt16, isJob: Bool, label: UInt32 = 0) {
            self.task = task
            self.label = label
            self.executor = executor
            flags = isJob ? .isJob : []
            began = time
            since = time
        }

        /// Whether the body was taken from a queue, so that `jobEnded` ends it. Otherwise it is an inline body, which ends with its task's
        /// next suspension or end.
        var isJob: Bool { flags.contains(.isJob) }

        /// Whether the thread counts among those of the executor because of this body. A body directly inside another one of the executor
        /// is not counted.
        var isCounted: Bool { !flags.contains(.isInSame) }

        /// Whether the thread has an ``ExecutorPath`` of the body.
        var hasPath: Bool { flags.contains(.hasPath) }

        mutating func begin(inside other: Body) {
            if other.executor == executor { flags.insert(.isInSame) }
        }

        mutating func notePath() { flags.insert(.hasPath) }

        /// The end of a stay on its executor that the trace ends at `time`.
        func end(at time: UInt64) -> UInt64 { leftBy == 0 ? time : min(time, leftBy) }
    }

    /// Whether a body runs.
    var isBusy: Bool { innermost != nil }

    /// All running bodies, innermost last.
    var bodies: [Body] { outer + [innermost].compactMap(\.self) }

    @inline(__always)
    mutating func begin(_ body: Body) {
        var body = body
        if let around = innermost {
            body.begin(inside: around)
            outer.append(around)
        }
        innermost = body
    }

    /// Whether the innermost body makes the thread one of its executor's.
    var isCounted: Bool { innermost?.isCounted ?? false }

    /// The time that the bodies on an executor have run since their latest attribution. A body inside another one adds nothing.
    func unattributed(on executor: UInt16, until now: UInt64) -> UInt64 {
        guard let outermost = bodies.first(where: { $0.executor == executor }) else { return 0 }
        let nested = bodies.reduce(0 as UInt64) { $1.executor == executor ? $0.plus($1.nested) : $0 }
        let (since, now) = (outermost.since, outermost.end(at: now))
        guard now > since else { return 0 }
        return now - since > nested ? now - since - nested : 0
    }

    /// Records that another thread's body began on the actor, if the innermost body is recorded as running there.
    mutating func hasLeft(_ actor: UInt16, by time: UInt64) {
        if innermost?.executor == actor, innermost?.leftBy == 0 { innermost?.leftBy = time }
    }

    /// Excludes an inner body's time on its last executor from the time of the body around it on the same executor.
    mutating func exclude(_ nanoseconds: UInt64, on executor: UInt16) {
        guard let body = innermost, body.executor == executor else { return }
        innermost?.nested = body.nested.plus(nanoseconds)
    }

    /// Ends the innermost job that matches.
    @inline(__always)
    mutating func takeJob(of task: UInt64, on executor: UInt16) -> Body? {
        take { $0.isJob && $0.task == task && $0.executor == executor }
    }

    /// Ends the task's inline body.
    @inline(__always)
    mutating func takeInline(_ task: UInt64) -> Body? {
        take { !$0.isJob && $0.task == task }
    }

    /// Moves the task's slice to another executor. At most `nanoseconds` that no earlier record attributed belong to the executor it
    /// leaves. Returns the body before the move and the number of those nanoseconds.
    mutating func move(
        _ task: UInt64, to executor: UInt16, at time: UInt64, attributing nanoseconds: UInt64
    ) -> (before: Body, nanoseconds: UInt64)? {
        guard var body = innermost, !body.isJob, body.task == task else { return nil }
        let before = body
        if !body.hasPath { paths.append(ExecutorPath(of: task, at: body.began, on: body.executor)) }
        body.notePath()
        let elapsed = time > body.began ? time - body.began : 0
        let nanoseconds = min(nanoseconds, elapsed > body.attributed ? elapsed - body.attributed : 0)
        body.attributed = body.attributed.plus(nanoseconds).plus(body.nested)
        body.nested = 0
        body.executor = executor
        body.since = max(time, body.since)
        body.leftBy = 0
        innermost = body
        return (before, nanoseconds)
    }

    /// Records that the innermost body came `hops.count` times from one executor to the next. `hasLeft` is false if it is known to have
    /// arrived.
    mutating func count(_ hops: InlineHops, to next: UInt16, hasLeft: Bool, nanoseconds: UInt64) {
        guard let body = innermost, let index = index(ofPath: body) else { return }
        paths[index].add(hops, to: next, hasLeft: hasLeft, nanoseconds: nanoseconds)
    }

    /// The stay of a body that has ended on `executor`, if it had to wait for the next one instead of taking it at once.
    mutating func takeStay(of body: Body, on executor: UInt16) -> ExecutorPath.Stay? {
        guard let index = index(ofPath: body) else { return nil }
        return paths.remove(at: index).stay(on: executor)
    }

    private func index(ofPath body: Body) -> Int? {
        paths.lastIndex { $0.task == body.task && $0.began == body.began }
    }

    mutating func endAll() {
        innermost = nil
        outer = []
        paths = []
        wait = nil
    }

    @inline(__always)
    private mutating func take(_ isMeant: (Body) -> Bool) -> Body? {
        guard let last = innermost else { return nil }
        if isMeant(last) {
            innermost = outer.isEmpty ? nil : outer.removeLast()
            return last
        }
        return outer.isEmpty ? nil : outer.lastIndex(where: isMeant).map { outer.remove(at: $0) }
    }
}
