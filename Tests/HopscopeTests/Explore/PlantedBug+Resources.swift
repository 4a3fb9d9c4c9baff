import Hopscope

/// Bugs of locks, pools and queues: most are deadlocks.
extension PlantedBug {
    static let resources: [PlantedBug] = [
        PlantedBug("two locks in two orders") { isHealthy in
            let a = ChainLock("a"), b = ChainLock("b")
            let work: @Sendable (String, ChainLock, ChainLock) -> ChainTask<Void> = { name, first, second in
                elsewhere(name == "left" ? 1 : 5).continueWithTask(on: serial(name), name: name) { _ in
                    first.lock().continueWithTask(on: serial("\(name) 2"), name: "\(name) second") { _ in
                        second.lock().continueWith(name: "\(name) unlocks") { _ in
                            second.unlock()
                            first.unlock()
                        }
                    }
                }
            }
            try await ChainTask.whenAll([work("left", a, b), isHealthy ? work("right", a, b) : work("right", b, a)]).value
        },
        PlantedBug("missed wake-up") { isHealthy in
            let isReady = Box(false), waiter = Box<TaskCompletionSource<Void>?>(nil)
            let notify = ChainTask(on: serial("producer"), name: "notify") {
                isReady.value = true
                waiter.change { waiter in
                    defer { waiter = nil }
                    return waiter
                }?.set(())
            }
            let consume = ChainTask.flattening(on: serial("consumer"), name: "consume") {
                guard !isReady.value else { return ChainTask(()) }
                let source = TaskCompletionSource<Void>(name: "ready")
                _ = ChainTask(on: serial("log"), name: "log") {}
                waiter.value = source
                if isHealthy, isReady.value { source.trySet(()) }
                return source.task
            }
            try await ChainTask.whenAll([notify.continueWith { _ in }, consume]).value
        },
        PlantedBug("a pool whose workers wait for it") { isHealthy in
            let pool = ChainExecutor.pool(name: "pool", width: 2)
            let inner = isHealthy ? ChainExecutor.pool(name: "inner", width: 2) : pool
            let parents = (1...2).map { number in
                elsewhere(number * 3).continueWith(on: pool, name: "parent \(number)") { _ in
                    waitFor(ChainTask(on: inner, name: "child \(number)") {})
                }
            }
            try await ChainTask.whenAll(parents).value
        },
        PlantedBug("accepted after the drain") { isHealthy in
            let isClosed = Box(false), jobs = Box<[TaskCompletionSource<Void>]>([])
            let drain: @Sendable () -> Void = {
                let all = jobs.change { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                for job in all { job.trySet(()) }
            }
            let submit = ChainTask.flattening(on: serial("client"), name: "submit") {
                guard !isClosed.value else { return ChainTask(()) }
                let job = TaskCompletionSource<Void>(name: "job")
                _ = ChainTask(on: serial("log"), name: "log") {}
                jobs.change { $0.append(job) }
                if isHealthy, isClosed.value { drain() }
                return job.task
            }
            let close = ChainTask(on: serial("server"), name: "close") {
                isClosed.value = true
                drain()
            }
            try await ChainTask.whenAll([submit, close]).value
        },
    ]
}

/// Waits in a body that is not asynchronous.
func waitFor(_ task: ChainTask<Void>) { task.wait() }

/// A lock that a chain holds between its jobs.
final class ChainLock: Sendable {
    private let name: String
    private let state = Box<(isHeld: Bool, waiters: [TaskCompletionSource<Void>])>((false, []))

    init(_ name: String) { self.name = name }

    func lock() -> ChainTask<Void> {
        let source = TaskCompletionSource<Void>(name: "lock \(name)")
        let isFree = state.change { state in
            if state.isHeld { state.waiters.append(source) }
            defer { state.isHeld = true }
            return !state.isHeld
        }
        if isFree { source.set(()) }
        return source.task
    }

    func unlock() {
        let next = state.change { state -> TaskCompletionSource<Void>? in
            if state.waiters.isEmpty {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.set(())
    }
}
