import TaskEvents

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

    struct Body {
        var task: UInt64
        var began: UInt64
        /// The current executor and the start of the time on it. A slice that enters free actors may have moved on since; these are the
        /// last known values.
        var executor: UInt16
        var since: UInt64
        /// Nanoseconds of this body that have been attributed to executors.
        var attributed: UInt64 = 0
        /// Nanoseconds since `since` that inner bodies ran on the same executor, which are attributed to it already.
        var nested: UInt64 = 0
        /// Whether the thread counts among those of the executor because of this body. A body directly inside another one of the executor is
        /// not counted.
        var isCounted = true
        /// Whether the body was taken from a queue, so that `jobEnded` ends it. Otherwise it is an inline body, which ends with its task's
        /// next suspension or end.
        var isJob: Bool
        /// How often the body came to each executor, less how often it left it.
        var visits = ExecutorVisits()
        /// The executors that the body left last, and was to come to without an actor of its own, and the time on the first. Only the body's
        /// last executor shows whether it arrived, or had to wait and has not left.
        var left: (executor: UInt16, next: UInt16, nanoseconds: UInt64)?
        /// The name and the call site of a closure that belongs to no task; 0 if unknown.
        var label: UInt32

        /// Whether the body, which ended on `executor`, had to wait for the next one instead of taking it at once.
        func hasStayed(on executor: UInt16) -> Bool {
            guard let left, left.executor == executor else { return false }
            return visits.count(of: left.next) == 1 && visits.count(of: executor) == 0
        }

        init(task: UInt64, at time: UInt64, on executor: UInt16, isJob: Bool, label: UInt32 = 0) {
            self.task = task
            self.label = label
            self.executor = executor
            self.isJob = isJob
            began = time
            since = time
            visits.add(1, to: executor)
        }
    }

    /// How often a body came to each of its first few executors, less how often it left it.
    struct ExecutorVisits {
        private var executors: [4 of UInt16] = .init(repeating: 0)
        private var counts: [4 of Int32] = .init(repeating: 0)

        func count(of executor: UInt16) -> Int32 {
            for index in 0..<4 where executors[index] == executor { return counts[index] }
            return 0
        }

        mutating func add(_ count: UInt64, to executor: UInt16) { change(executor, by: Int32(clamping: count)) }
        mutating func remove(_ count: UInt64, from executor: UInt16) { change(executor, by: -Int32(clamping: count)) }

        private mutating func change(_ executor: UInt16, by count: Int32) {
            for index in 0..<4 where executors[index] == executor || executors[index] == 0 {
                executors[index] = executor
                counts[index] &+= count
                return
            }
        }
    }

    /// Whether a body runs.
    var isBusy: Bool { innermost != nil }

    /// All running bodies, innermost last.
    var bodies: [Body] { outer + [innermost].compactMap(\.self) }

    @inline(__always)
    mutating func begin(_ body: Body) {
        let around = innermost
        innermost = body
        guard let around else { return }
        innermost?.isCounted = around.executor != body.executor
        outer.append(around)
    }

    /// Whether the innermost body makes the thread one of its executor's.
    var isCounted: Bool { innermost?.isCounted ?? false }

    /// The time that the bodies on an executor have run since their latest attribution. A body inside another one adds nothing.
    func unattributed(on executor: UInt16, until now: UInt64) -> UInt64 {
        var since: UInt64?
        var nested: UInt64 = 0
        for body in bodies where body.executor == executor {
            since = since ?? body.since
            nested += body.nested
        }
        guard let since, now > since else { return 0 }
        return now - since > nested ? now - since - nested : 0
    }

    /// Excludes an inner body's time on its last executor from the time of the body around it on the same executor.
    mutating func exclude(_ nanoseconds: UInt64, on executor: UInt16) {
        if innermost?.executor == executor { innermost?.nested &+= nanoseconds }
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
        let elapsed = time > body.began ? time - body.began : 0
        let nanoseconds = min(nanoseconds, elapsed > body.attributed ? elapsed - body.attributed : 0)
        body.attributed += nanoseconds + body.nested
        body.nested = 0
        body.executor = executor
        body.since = max(time, body.since)
        innermost = body
        return (before, nanoseconds)
    }

    /// Records that the innermost body came `hops.count` times from one executor to the next. `hasLeft` is false if it is known to have
    /// arrived.
    mutating func count(_ hops: InlineHops, to next: UInt16, hasLeft: Bool, nanoseconds: UInt64) {
        innermost?.visits.remove(hops.count, from: hops.from.rawValue)
        innermost?.visits.add(hops.count, to: next)
        if hasLeft { innermost?.left = (hops.from.rawValue, next, nanoseconds / hops.count) }
    }

    mutating func endAll() {
        innermost = nil
        outer = []
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
