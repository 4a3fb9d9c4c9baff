import CRemoteProcess
import TaskEvents

/// The waits of a task in a snapshot, step by step, down to the cause that holds all tasks of the chain up.
package struct SnapshotChain: Sendable {
    /// The reason why the last task of the chain does not end.
    package enum Cause: Sendable {
        /// The last task waits for this task, which is in the chain too.
        case cycle(RemoteTask)
        /// The thread that runs the last task blocks in a call.
        case blocked(RemoteThread)
        /// The last task is on a processor, or was while it was read.
        case running
        /// This task, the last one or the one that waits for it, has gone on between the looks.
        case goesOn(RemoteTask)
        /// Nothing has resumed its continuation.
        case continuation
        /// Nothing has sent to its stream or finished it.
        case stream
        case sleep
        /// The last task is ready, but the threads of the pool block.
        case pool([RemoteThread])
        /// This thread does not return to the jobs of its executor.
        case thread(RemoteThread)
        /// The last task is queued, and nothing in the snapshot holds the executor.
        case queue
        /// No executor has the last task.
        case notStarted
        /// The last task waits for a task or a group whose tasks are not in the snapshot.
        case gone
        /// The last task waits, and its runtime does not show for what.
        case unknown
    }

    /// The tasks. Each one waits for the next.
    package private(set) var tasks: [RemoteTask]
    package private(set) var cause: Cause

    /// All chains of a snapshot. They start at the tasks that no other task waits for, and branch where a task waits for several. If two
    /// chains meet, only the first one found is kept.
    ///
    /// - Parameter earlier: snapshots of the same process just before, in order. A thread is stuck in a call in which the last of them has
    ///   it, too. One look alone can also meet a thread that is about to go on, or that another job leaves while it is read.
    package static func all(in snapshot: Snapshot, _ symbols: SnapshotSymbols, since earlier: [Snapshot] = []) -> [SnapshotChain] {
        let walk = ChainWalk(snapshot, symbols, since: earlier)
        return walk.chains()
    }

    fileprivate init(_ tasks: [RemoteTask], _ cause: Cause) {
        self.tasks = tasks
        self.cause = cause
    }
}

/// Walks the waits of a snapshot. Visits each task once.
private final class ChainWalk {
    private let snapshot: Snapshot
    private let symbols: SnapshotSymbols
    private let earlier: Snapshot?
    private let progress: SnapshotProgress
    private var visited: Set<UInt64> = []
    private var found: [SnapshotChain] = []
    private let members: [UInt64: [RemoteTask]]
    /// The first thread that serves each actor.
    private let servers: [UInt64: RemoteThread]
    /// The threads that run a task and block.
    private lazy var blocked = snapshot.threads.filter { $0.task != nil && symbols.blockingCall(of: $0) != nil }

    init(_ snapshot: Snapshot, _ symbols: SnapshotSymbols, since earlier: [Snapshot]) {
        (self.snapshot, self.symbols, self.earlier) = (snapshot, symbols, earlier.last)
        progress = SnapshotProgress(snapshot, symbols, since: earlier)
        members = Dictionary(grouping: snapshot.tasks.filter { $0.group != 0 }, by: \.group)
        servers = Dictionary(
            snapshot.threads.compactMap { thread in thread.actor.map { ($0, thread) } }, uniquingKeysWith: { first, _ in first })
    }

    func chains() -> [SnapshotChain] {
        let awaited = Set(snapshot.tasks.flatMap { next($0).map(\.address) })
        for task in snapshot.tasks where !awaited.contains(task.address) { walk(from: task) }
        // The tasks left over wait for each other in circles.
        for task in snapshot.tasks where !visited.contains(task.address) { walk(from: task) }
        return found
    }

    /// The tasks that a task waits for.
    private func next(_ task: RemoteTask) -> [RemoteTask] {
        guard task.state != .running, task.state != .changing else { return [] }
        switch task.wait {
        case .task(let address): return [snapshot.task(at: address)].compactMap(\.self)
        case .group(let group): return members[group] ?? []
        case .executor(let identity, _):
            let holder = snapshot.actor(at: identity)?.running ?? snapshot.mainThread(serving: identity)?.task
            return [holder.flatMap { snapshot.task(at: $0) }].compactMap(\.self)
        case .continuation, nil: return []
        }
    }

    private func walk(from first: RemoteTask) {
        // The walk has an explicit stack, because a chain can be longer than a thread's stack is deep.
        var open: [(task: RemoteTask, depth: Int)] = [(first, 0)]
        var path: [RemoteTask] = []
        var onPath: Set<UInt64> = []
        while let (task, depth) = open.popLast() {
            for left in path[depth...] { onPath.remove(left.address) }
            path.removeSubrange(depth...)
            if !onPath.insert(task.address).inserted {
                found.append(SnapshotChain(path, .cycle(task)))
                continue
            }
            path.append(task)
            guard visited.insert(task.address).inserted else { continue }
            let following = next(task)
            if following.isEmpty {
                // A task that awaits one task after the other waits for a new one.
                let goingOn = path.suffix(2).last { progress.hasGoneOn($0) }
                found.append(SnapshotChain(path, goingOn.map { .goesOn($0) } ?? cause(of: task)))
            } else {
                for task in following.reversed() { open.append((task, depth + 1)) }
            }
        }
    }

    private func cause(of task: RemoteTask) -> SnapshotChain.Cause {
        switch task.state {
        case .running:
            guard let thread = snapshot.thread(running: task.address), thread.call != nil, !symbols.isBetweenJobs(thread),
                stays(thread, before: earlier?.thread(running: task.address))
            else { return .running }
            return .blocked(thread)
        case .changing: return .running
        case .pending: return .notStarted
        case .queued, .suspended: break
        }
        switch task.wait {
        case .continuation:
            let calls = symbols.calls(at: task.frames)
            if calls.contains(where: { $0.isMachinery && $0.function.contains(".sleep(") }) { return .sleep }
            return calls.contains { $0.isMachinery && Self.isStream($0.function) } ? .stream : .continuation
        case .executor(let identity, _):
            if let main = snapshot.mainThread(serving: identity), stays(main, before: earlier?.threads.first { $0.id == main.id }) {
                return .thread(main)
            }
            if snapshot.actor(at: identity) != nil, let thread = servers[identity] { return .thread(thread) }
            if snapshot.holders[task.address]?.proof == .lost { return .queue }
            return blocked.isEmpty ? .queue : .pool(blocked)
        case nil: return task.state == .queued ? .queue : .unknown
        case .task, .group: return .gone
        }
    }

    /// Whether a thread was in the same call at the look before.
    private func stays(_ thread: RemoteThread, before: RemoteThread?) -> Bool {
        guard earlier != nil else { return true }
        return before.map { ($0.id, $0.call, $0.stack) == (thread.id, thread.call, thread.stack) } ?? false
    }

    private static func isStream(_ function: String) -> Bool {
        function.contains("AsyncStream") || function.contains("AsyncThrowingStream")
    }
}

extension Snapshot {
    /// The process's first thread, if it alone serves an executor. After `dispatchMain()`, which an async `main` calls, it is parked in
    /// `sigsuspend` for ever, and any thread of the pool runs main's jobs.
    package func mainThread(serving executor: UInt64) -> RemoteThread? {
        guard executor != 0, actor(at: executor) == nil, executorName(executor) == "main" else { return nil }
        return threads.first { $0.id == pid && !remote_call_awaits_signal($0.call ?? -1) }
    }
}
