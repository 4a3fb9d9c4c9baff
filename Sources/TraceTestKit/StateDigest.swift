import TaskEvents
import TraceStore

/// A hash of all the facts that a store derives from its trace: equal facts have equal hashes, different facts very likely different ones.
package struct StateDigest: Hashable, Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(of store: TraceStore) {
        add(store.eventCount, store.taskCount, store.keptCount, store.evictedCount, store.synthesisedCount, store.unreadableCount)
        add(store.now, store.lostCount, store.jobs.missedFrames)
        add(store.jobs.total, store.jobs.stalls.count)
        store.jobs.forEach(in: 0...UInt64.max) { job in
            add(job.task.rawValue, job.since, job.until, UInt64(job.executor.rawValue), UInt64(job.lane))
            return true
        }
        for state in TaskState.allCases { add(store.count(of: state)) }
        for row in store.rows { add(store[row]) }
        for executor in store.executors { add(executor, now: store.now) }
    }

    /// A hash of all the facts about one task.
    package init(of task: TaskView) {
        add(task)
    }

    /// A hash of all the facts about one executor, at the time `now` of its store.
    package init(of executor: ExecutorView, now: UInt64) {
        add(executor, now: now)
    }

    private mutating func add(_ task: TaskView) {
        add(task.id.rawValue, task.chain.rawValue, task.faultSource.rawValue, task.cancelledBy.rawValue, task.waitsFor?.rawValue ?? 0)
        add(Int(task.kind.rawValue), Int(task.state.rawValue), Int(task.labelID.rawValue), Int(task.executor.rawValue), task.lane)
        add(Int(task.error.rawValue), Int(task.faultManner?.rawValue ?? .max), Int(task.cancellation?.rawValue ?? .max))
        add(Int(task.startManner?.rawValue ?? .max), task.isSynthesised ? 1 : 0, task.isSkipped ? 1 : 0, task.isReleased ? 1 : 0)
        add(task.isErrorReadOutside ? 1 : 0)
        if let request = task.requestedCancellation {
            add(request.asker.rawValue, request.at, request.order, request.seen ?? .max)
            add(Int(request.manner.rawValue), Int(request.site.rawValue), Int(request.calls.rawValue))
        }
        if let shield = task.shield { add(shield.since, UInt64(shield.calls.rawValue)) }
        add(task.shieldedTime)
        add(task.created ?? .max, task.queued ?? .max, task.started ?? .max, task.ended ?? .max)
        add(task.busy ?? .max, task.queuedTime ?? .max, task.suspendedTime ?? .max, task.inner?.rawValue ?? 0)
        for antecedent in task.antecedents { add(antecedent.rawValue) }
        for successor in task.successors { add(successor.rawValue) }
        for other in [task.readers.map(\.rawValue), task.awaited.map(\.rawValue), task.awaiters.map(\.rawValue)].joined() { add(other) }
        for resumer in task.resumers { add(resumer.rawValue) }
        add(Int(task.priority?.rawValue ?? 0))
        for hop in task.hops {
            add(UInt64(hop.from.rawValue), UInt64(hop.to.rawValue), UInt64(hop.manner.rawValue), hop.at, hop.wait ?? .max)
        }
    }

    private mutating func add(_ executor: ExecutorView, now: UInt64) {
        add(Int(executor.id.rawValue), executor.jobs, executor.depth, executor.maxDepth, executor.waits.count)
        add(executor.busy ?? .max, executor.longestJob?.nanoseconds ?? .max, executor.longestJob?.task.rawValue ?? 0)
        add(executor.waits.p50 ?? .max, executor.waits.p99 ?? .max, executor.waits.max ?? .max)
        for job in executor.running { add(job.task.rawValue, job.since, UInt64(job.lane)) }
        for job in executor.queue { add(job.task.rawValue, job.since, UInt64(job.from.rawValue)) }
        for depth in executor.depthHistory.depths(until: now) { add(UInt64(depth)) }
    }

    private mutating func add(_ numbers: Int...) {
        for number in numbers { add(UInt64(bitPattern: Int64(number))) }
    }

    private mutating func add(_ numbers: UInt64...) {
        for number in numbers { add(number) }
    }

    private mutating func add(_ number: UInt64) {
        state = (state ^ number) &* 0x0000_0100_0000_01B3
        state ^= state >> 29
    }
}
