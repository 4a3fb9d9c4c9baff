import Dispatch
import Synchronization

// Programs that cancel tasks, for `Hazards.swift`.

/// A message that at most one task waits for. A cancelled task gives up.
final class Mailbox: Sendable {
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

    /// - Parameter isCareful: whether a task that is cancelled already does not wait.
    func receive(isCareful: Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in  // stored late
                let isGivenUp = waiter.withLock { waiter in
                    if isCareful, Task.isCancelled { return true }
                    waiter = continuation
                    return false
                }
                if isGivenUp { continuation.resume() }
            }
        } onCancel: {
            waiter.withLock { $0.take() }?.resume()
        }
    }
}

/// The continuation is never released, so no library call tells that it is lost.
let mailboxes = (careless: Mailbox(), careful: Mailbox())

/// A task that is cancelled, and then waits for a message.
private func readLate(_ mailbox: Mailbox, isCareful: Bool) async {
    let task = Task.detached(name: "reader") {
        while !Task.isCancelled { await Task.yield() }
        await mailbox.receive(isCareful: isCareful)
    }
    await pause(5)
    task.cancel()
    await pause(150)
}

func storedLate() async { await readLate(mailboxes.careless, isCareful: false) }

/// The same with an owner that looks before it stores; and a cancellation that finds the continuation stored.
func storedInTime() async {
    await readLate(mailboxes.careful, isCareful: true)
    let task = Task.detached(name: "reader") { await mailboxes.careless.receive(isCareful: false) }
    await pause(5)
    task.cancel()
    await task.value
}

/// A task that works long after an await, and does not look.
func deafAfterAwait() async {
    let arrivals = Arrivals()
    let task = Task.detached(name: "deaf") {
        try? await Task.sleep(for: .milliseconds(20))  // looks no more
        arrivals.come()
        hold(200)
    }
    await arrivals.wait(for: 1)
    task.cancel()
    await task.value
}

/// Counts the tasks that have come so far. They wait in a handler, or look at the flag.
final class Arrivals: Sendable {
    let count = Atomic(0)

    func come() { count.add(1, ordering: .relaxed) }

    func wait(for number: Int) async {
        while count.load(ordering: .relaxed) < number { await Task.yield() }
    }

    func comeAndSleep() async throws {
        come()
        try await Task.sleep(for: .seconds(60))
    }

    func comeAndLook() async {
        come()
        while !Task.isCancelled { await pause(1) }
    }
}

/// One call cancels a task, its `async let`, the children of its group, and a child of one of these.
func cancelTree() async {
    let arrivals = Arrivals()
    let root = Task.detached(name: "root") {
        async let sleeper: Void = arrivals.comeAndSleep()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(name: "looks") { await arrivals.comeAndLook() }
            group.addTask(name: "holds") {
                await withTaskGroup(of: Void.self) { inner in
                    inner.addTask(name: "deep") { await arrivals.comeAndLook() }
                }
            }
            await group.waitForAll()
            group.addTask(name: "late") {}
        }
        try? await sleeper
    }
    await arrivals.wait(for: 3)
    root.cancel()  // cancels the tree
    await root.value
}

/// A thread of its own, for a task that does not wait.
final class SpinExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "spin")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A group cancels its children, of which one has not waited yet, and an `async let` of one of them; and an `async let` whose value no code
/// reads is cancelled by its scope.
func cancelScopes() async {
    let arrivals = Arrivals()
    await Task.detached(name: "scopes") {
        await withTaskGroup(of: Void.self) { group in
            group.addTask(name: "spins", executorPreference: SpinExecutor()) {
                arrivals.come()
                while !Task.isCancelled {}
            }
            group.addTask(name: "first") { await arrivals.comeAndLook() }
            group.addTask(name: "second") {
                async let inner: Void = arrivals.comeAndLook()
                await arrivals.comeAndLook()
                await inner
            }
            await arrivals.wait(for: 4)
            group.cancelAll()  // cancels the group
        }
        async let unread: Void = arrivals.comeAndLook()
        await arrivals.wait(for: 5)
    }.value
}

struct GivenUp: Error {}

private let late = Mutex<CheckedContinuation<Void, Never>?>(nil)

/// Three tasks that are cancelled as they wait: one goes on, one fails with an error of its own, and one waits for a
/// continuation that no handler resumes.
func cancelSleeps() async {
    let goesOn = Task.detached(name: "goes on") {
        try? await Task.sleep(for: .seconds(60))
        hold(20)
    }
    let fails = Task.detached(name: "fails") {
        do { try await Task.sleep(for: .seconds(60)) } catch { throw GivenUp() }
    }
    let isDeaf = Task.detached(name: "is deaf") {
        await withCheckedContinuation { continuation in late.withLock { $0 = continuation } }
    }
    await pause(50)
    for cancel in [goesOn.cancel, fails.cancel, isDeaf.cancel] {
        cancel()
        await pause(1)
    }
    late.withLock { $0.take() }?.resume()
    await goesOn.value
    _ = await fails.result
    await isDeaf.value
}
