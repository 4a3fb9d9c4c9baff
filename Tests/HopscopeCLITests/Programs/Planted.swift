// Bugs of tasks and actors that only some orders show, each with a healthy twin. `Orders planted NAME` runs one, with `healthy` its twin.

import Dispatch
import Foundation
import Synchronization

/// A value that any thread may read and write, without a bug of its own.
final class Shelf<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var now: Value {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

func check(_ isRight: Bool) {
    if !isRight { exit(1) }
}

func both(_ first: @escaping @Sendable () async -> Void, _ second: @escaping @Sendable () async -> Void) async {
    let tasks = [Task.detached(operation: first), Task.detached(operation: second)]
    for task in tasks { await task.value }
}

func pause(_ milliseconds: Int) async { try? await Task.sleep(for: .milliseconds(milliseconds)) }

/// An account on which two tasks work at once.
actor Account {
    private(set) var balance = 100
    private(set) var loads = 0
    private var loading: Task<Int, Never>?
    private var isReady = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private(set) var log: [String] = []

    func set(_ value: Int) { balance = value }
    func add(_ value: Int) { balance += value }
    func withdraw(_ value: Int) { if balance >= value { balance -= value } }
    func note(_ text: String) { log.append(text) }

    /// Reads, waits, writes.
    func addSlowly(_ value: Int, _ healthy: Bool) async {
        if healthy {
            balance += value
            return
        }
        let old = balance
        await pause(1)
        balance = old + value
    }

    /// Two callers load one value twice, unless the task that loads it is kept.
    func load(_ healthy: Bool) async -> Int {
        if healthy, let loading { return await loading.value }
        if !healthy, loads > 0 { return 1 }
        let task = Task {
            await pause(2)
            return 1
        }
        if healthy {
            loads += 1
            loading = task
        }
        let value = await task.value
        if !healthy { loads += 1 }
        return value
    }

    /// Begins once, in two steps.
    func begin(_ healthy: Bool) async {
        guard !isReady else { return }
        if healthy { isReady = true }
        await pause(1)
        isReady = true
        log.append("began")
    }

    func open() {
        isReady = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Looks, leaves the actor, and comes back to wait: a signal in between is lost.
    func pass(_ healthy: Bool) async {
        if isReady { return }
        if !healthy { await pause(0) }
        await withCheckedContinuation { waiters.append($0) }
    }
}

/// A custom executor that runs its jobs on a queue.
final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

actor OnQueue {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var rooms = 1
    private(set) var guests = 0

    func book(_ healthy: Bool) async {
        guard rooms > 0 else { return }
        if healthy { rooms -= 1 }
        await Task.yield()
        if !healthy { rooms -= 1 }
        guests += 1
    }
}

enum Planted {
    typealias Bug = @Sendable (_ healthy: Bool) async -> Void

    static let tasks: [String: Bug] = [
        "lost-update": { healthy in
            let account = Account()
            await both(
                { await account.addSlowly(1, healthy) },
                {
                    await pause(8)
                    await account.addSlowly(1, healthy)
                })
            check(await account.balance == 102)
        },
        "check-then-act": { healthy in
            let (account, looks) = (Account(), Shelf(0))
            let withdraw: @Sendable () async -> Void = {
                if healthy { return await account.withdraw(60) }
                let isEnough = await account.balance >= 60
                looks.change { $0 += 1 }
                if isEnough { await account.add(-60) }
            }
            await both(withdraw) {
                await pause(5)
                await withdraw()
            }
            check(await account.balance == 40)
        },
        "stampede": { healthy in
            let account = Account()
            await both(
                { _ = await account.load(healthy) },
                {
                    await pause(9)
                    _ = await account.load(healthy)
                })
            check(await account.loads == 1)
        },
        "begins-twice": { healthy in
            let account = Account()
            await both(
                { await account.begin(healthy) },
                {
                    await pause(6)
                    await account.begin(healthy)
                })
            check(await account.log == ["began"])
        },
        "late-subscriber": { healthy in
            let (events, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: healthy ? .unbounded : .bufferingNewest(1))
            await both(
                {
                    for value in 1...2 {
                        continuation.yield(value)
                        await pause(4)
                    }
                    continuation.finish()
                },
                {
                    var sum = 0
                    for await value in events { sum += value }
                    check(sum == 3)
                })
        },
        "missed-signal": { healthy in
            let account = Account()
            await both(
                { await account.pass(healthy) },
                {
                    await pause(7)
                    await account.open()
                })
        },
        "resumed-twice": { healthy in
            let (waiter, tasks) = (Shelf<CheckedContinuation<Void, Never>?>(nil), Shelf<[Task<Void, Never>]>([]))
            let resume: @Sendable (Int) async -> Void = { delay in
                await pause(delay)
                if healthy {
                    let kept = waiter.change { kept in
                        defer { kept = nil }
                        return kept
                    }
                    kept?.resume()
                } else if let kept = waiter.now {
                    waiter.now = nil
                    kept.resume()
                }
            }
            await withCheckedContinuation { continuation in
                waiter.now = continuation
                tasks.now = [2, 12].map { delay in Task.detached { await resume(delay) } }
            }
            for task in tasks.now { await task.value }
        },
        "cancelled-before-stored": { healthy in
            let waiter = Shelf<(isCancelled: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))
            let task = Task.detached {
                await pause(1)
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let isLate = waiter.change { state in
                            if healthy, state.isCancelled { return true }
                            state.continuation = continuation
                            return false
                        }
                        if isLate { continuation.resume() }
                    }
                } onCancel: {
                    let kept = waiter.change { state in
                        state.isCancelled = true
                        return state.continuation
                    }
                    kept?.resume()
                }
            }
            await Task.detached {
                await pause(15)
                task.cancel()
            }.value
            await task.value
        },
        "order-of-two": { healthy in
            let account = Account()
            let first = Task.detached { await account.note("saved") }
            let second = Task.detached {
                if healthy { await first.value } else { await pause(3) }
                await account.note("told")
            }
            await first.value
            await second.value
            check(await account.log == ["saved", "told"])
        },
        "stale-answer": { healthy in
            let (account, screen) = (Account(), Shelf((request: 0, shown: 0)))
            let ask: @Sendable (Int) async -> Void = { number in
                screen.change { $0.request = number }
                await account.set(number)
                screen.change { if !healthy || $0.request == number { $0.shown = number } }
            }
            await both({ await ask(1) }) {
                await pause(5)
                await ask(2)
            }
            check(screen.now.shown == screen.now.request)
        },
        "outlives-call": { healthy in
            let isOpen = Shelf(true)
            let write = Task.detached {
                await pause(3)
                check(isOpen.now)
            }
            if healthy { await write.value } else { await pause(11) }
            isOpen.now = false
            await write.value
        },
        "cancelled-loser-writes": { healthy in
            let results = Shelf<[Int]>([])
            let write: @Sendable (Int) -> Void = { value in results.change { if !healthy || $0.isEmpty { $0.append(value) } } }
            let loser = Task.detached {
                await pause(10)
                guard !Task.isCancelled else { return }
                await Task.yield()
                write(2)
            }
            let winner = Task.detached {
                await pause(4)
                write(1)
                loser.cancel()
            }
            await winner.value
            await loser.value
            check(results.now.count == 1)
        },
        "custom-executor": { healthy in
            let hotel = OnQueue()
            await both(
                { await hotel.book(healthy) },
                {
                    await pause(5)
                    await hotel.book(healthy)
                })
            check(await hotel.guests == 1)
        },
        "group-order": { healthy in
            let log = Shelf<[Int]>([])
            await withTaskGroup(of: Int.self) { group in
                for index in 0..<3 {
                    group.addTask {
                        await pause(index * 5)
                        return index
                    }
                }
                for await index in group { log.change { $0.append(index) } }
            }
            check((healthy ? log.now.sorted() : log.now) == [0, 1, 2])
        },
        "async-let-race": { healthy in
            let value = Shelf(0)
            async let first: Void = { value.now = 1 }()
            async let second: Int = {
                await pause(2)
                return value.now
            }()
            if healthy { await first }
            let seen = await second
            await first
            check(healthy || seen == 1)
        },
        "main-actor-flag": { healthy in
            let flag = Shelf(false)
            let set = Task.detached { await MainActor.run { flag.now = true } }
            let look = Task.detached {
                if healthy { await set.value } else { await pause(6) }
                check(await MainActor.run { flag.now })
            }
            await set.value
            await look.value
        },
    ]
}
