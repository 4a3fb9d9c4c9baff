import Dispatch
import Foundation
import Synchronization

// Programs with the hazards of Swift Concurrency's recipes, and their safe variants, which do the same work correctly.

// MARK: Invisible errors

struct Broken: Error {}

func work() async throws {
    try await Task.sleep(for: .milliseconds(5))
    throw Broken()
}

func invisibleError() async {
    Task { try await work() }
    await pause(30)
}

func visibleError() async {
    let task = Task {
        do { try await work() } catch { print("handled \(error)") }
    }
    await task.value
    do { try await Task { try await work() }.value } catch { print("handled \(error)") }
}

// MARK: Ordering

actor Journal {
    private(set) var lines: [Int] = []
    func write(_ line: Int) { lines.append(line) }
}

/// Makes each call in a task of its own; a later task arrives sooner.
func unordered() async {
    let journal = Journal()
    var tasks: [Task<Void, Never>] = []
    for number in 1...6 {
        tasks.append(
            Task {
                await pause(400 / number)
                await journal.write(number)
            })
    }
    for task in tasks { await task.value }
}

func ordered() async {
    let journal = Journal()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let consumer = Task {
        for await number in stream {
            await pause(40 / number)
            await journal.write(number)
        }
    }
    for number in 1...6 { continuation.yield(number) }
    continuation.finish()
    await consumer.value
}

// MARK: The pool

/// Occupies the thread for the given time. A sleeping thread would be a blocking wait, which is another hazard.
func hold(_ milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
}

func blocked() async {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let holders = (0..<processors * 2).map { _ in Task.detached { hold(300) } }
    let heartbeat = Task.detached(name: "heartbeat") {}
    await heartbeat.value
    for holder in holders { await holder.value }
}

/// Waits on a semaphore, in a call that the compiler does not recognise as blocking.
func semaphore() async {
    await Task.detached(name: "asleep") { sleep(on: DispatchSemaphore(value: 0)) }.value
}

/// Blocks the thread in a sleep, although the task could sleep.
func slept() async {
    await Task.detached(name: "asleep") { nap() }.value
}

func nap() { Thread.sleep(forTimeInterval: 0.3) }

/// Blocks the thread in a lock that another thread holds.
func locked() async {
    let lock = NSLock()
    await withCheckedContinuation { held in
        Thread.detachNewThread {
            lock.lock()
            held.resume()
            nap()
            lock.unlock()
        }
    }
    await Task.detached(name: "asleep") { take(lock) }.value
}

func take(_ lock: NSLock) {
    lock.lock()  // contended
    lock.unlock()
}

/// A value behind Swift's own lock.
final class Shared: Sendable {
    let count = Mutex(0)
}

/// Blocks the thread in a `Mutex` that another thread holds.
func mutexed() async {
    let shared = Shared()
    await withCheckedContinuation { held in
        Thread.detachNewThread {
            shared.count.withLock { _ in
                held.resume()
                nap()
            }
        }
    }
    await Task.detached(name: "asleep") { take(shared) }.value
}

@inline(never)
func take(_ shared: Shared) {
    shared.count.withLock { $0 += 1 }  // held Mutex
}

/// A lock of readers and writers.
final class Register: @unchecked Sendable {
    var lock = pthread_rwlock_t()
    init() { pthread_rwlock_init(&lock, nil) }
}

/// Blocks the thread in a lock of readers and writers that another thread holds.
func readLocked() async {
    let register = Register()
    await withCheckedContinuation { held in
        Thread.detachNewThread {
            pthread_rwlock_wrlock(&register.lock)
            held.resume()
            nap()
            pthread_rwlock_unlock(&register.lock)
        }
    }
    await Task.detached(name: "asleep") { read(register) }.value
}

@inline(never)
func read(_ register: Register) {
    pthread_rwlock_rdlock(&register.lock)  // held by a writer
    pthread_rwlock_unlock(&register.lock)
}

/// Blocks the thread in a semaphore of the C library.
func counted() async {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    nonisolated(unsafe) let shared = semaphore
    Thread.detachNewThread {
        nap()
        sem_post(shared)
    }
    await Task.detached(name: "asleep") { @Sendable in wait(for: shared) }.value
    semaphore.deallocate()
}

@inline(never)
func wait(for semaphore: UnsafeMutablePointer<sem_t>) {
    precondition(sem_wait(semaphore) == 0)  // no permit
}

func sleep(on semaphore: DispatchSemaphore) {
    _ = semaphore.wait(timeout: .now() + 0.3)
}

func crashed() async {
    await Task.yield()
    fatalError("as planned")
}

func suspended() async {
    await Task.detached(name: "suspended") { await pause(300) }.value
}

func unblocked() async {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let holders = (0..<processors * 2).map { _ in
        Task.detached {
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    hold(300)
                    done.resume()
                }
            }
        }
    }
    let heartbeat = Task.detached(name: "heartbeat") {}
    await heartbeat.value
    for holder in holders { await holder.value }
}

// MARK: Priority

func fixedPriority() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let consumer = Task(name: "consumer", priority: .low) { for await _ in stream {} }
    await pause(10)
    for number in 1...20 {
        await Task(priority: number.isMultiple(of: 2) ? .high : .medium) { _ = continuation.yield(number) }.value
        await pause(5)
    }
    continuation.finish()
    await consumer.value
}

func ownPriority() async {
    for number in 1...20 {
        await Task(name: "item", priority: number.isMultiple(of: 2) ? .high : .medium) { await pause(1) }.value
    }
}

@MainActor func inverted() async {
    let low = Task(name: "low", priority: .background) { @MainActor in hold(300) }
    await pause(50)
    let high = Task.detached(name: "high", priority: .high) { await MainActor.run {} }
    await high.value
    await low.value
}

// MARK: Actors

actor CarelessCache {
    private var value: Int?
    func get() async -> Int {
        if let value { return value }
        let task = Task { await makeValue() }
        let made = await task.value  // repeated
        value = made
        return made
    }
}

actor CarefulCache {
    private var making: Task<Int, Never>?
    func get() async -> Int {
        if let making { return await making.value }
        let task = Task { await makeValue() }
        making = task
        return await task.value
    }
}

func makeValue() async -> Int {
    await pause(100)
    return 7
}

func reentrant() async {
    let cache = CarelessCache()
    let gets = (1...3).map { _ in Task.detached { await cache.get() } }
    for get in gets { _ = await get.value }
}

func careful() async {
    let cache = CarefulCache()
    let gets = (1...3).map { _ in Task.detached { await cache.get() } }
    for get in gets { _ = await get.value }
}

// MARK: Main

func renderElsewhere() async {
    await Task.detached(name: "render") {}.value
}

func renderOnMain() async {
    let task = Task(name: "render") { @MainActor in await pause(1) }
    await task.value
}

@MainActor func slowStart() async {
    let task = Task(name: "moved inside") { @MainActor in print("before") }
    hold(300)
    await task.value
}

@MainActor func immediate() async {
    let task = Task.immediate(name: "at once") { @MainActor in print("before") }
    await pause(1)
    await task.value
}

func stalled() async {
    let late = Task.detached(name: "late") {
        await pause(50)
        await MainActor.run {}
    }
    await Task(name: "long") { @MainActor in hold(300) }.value
    await late.value
}

func unstalled() async {
    await Task.detached { hold(300) }.value
    await MainActor.run {}
}

func bouncing() async {
    await Task.detached {
        for _ in 0..<40 { await MainActor.run {} }
    }.value
}

func batched() async {
    await Task.detached { await MainActor.run { for _ in 0..<40 {} } }.value
}

// MARK: Ends

func neverResumed() async {
    Task(name: "forgotten") { await forget() }
    await pause(150)
}

func forget() async {
    await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }  // never resumed
}

func resumed() async {
    let task = Task {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.15) { continuation.resume() }
        }
    }
    await task.value
}

func lateCancelled() async {
    let task = Task.detached(name: "deaf") { for _ in 0..<30 { hold(10) } }
    await pause(20)
    task.cancel()
    await task.value
}

func cancelled() async {
    let task = Task.detached(name: "heeding") { for _ in 0..<30 where !Task.isCancelled { hold(10) } }
    await pause(20)
    task.cancel()
    await task.value
}

func fanned() async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<300 { group.addTask { hold(3) } }
    }
}

func bounded() async {
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
            if number >= 8 { await group.next() }
            group.addTask { await pause(1) }
        }
    }
}

func deadlocked() async {
    final class Box: @unchecked Sendable { var task: Task<Void, Never>? }
    let box = Box()
    let one = Task(name: "one") {
        await pause(10)
        await box.task?.value
    }
    box.task = Task(name: "other") { await one.value }
    await pause(300)
}

func pause(_ milliseconds: Int) async {
    try? await Task.sleep(for: .milliseconds(milliseconds))
}

@main struct Hazards {
    static let all: [String: @Sendable () async -> Void] = [
        "invisible-error": invisibleError, "visible-error": visibleError, "unordered": unordered, "ordered": ordered,
        "blocked": blocked, "unblocked": unblocked, "fixed-priority": fixedPriority, "own-priority": ownPriority,
        "inverted": inverted, "reentrant": reentrant, "careful": careful, "slow-start": slowStart, "immediate": immediate,
        "slept": slept, "semaphore": semaphore, "locked": locked, "suspended": suspended,
        "mutexed": mutexed, "read-locked": readLocked, "counted": counted,
        "render-elsewhere": renderElsewhere, "render-on-main": renderOnMain,
        "stalled": stalled, "unstalled": unstalled, "bouncing": bouncing, "batched": batched, "never-resumed": neverResumed,
        "resumed": resumed, "late-cancelled": lateCancelled, "cancelled": cancelled, "fanned": fanned, "bounded": bounded,
        "deadlocked": deadlocked, "stored-late": storedLate, "stored-in-time": storedInTime, "deaf-after-await": deafAfterAwait,
        "cancel-tree": cancelTree, "cancel-sleeps": cancelSleeps, "crashed": crashed, "cancel-scopes": cancelScopes,
    ]

    static func main() async {
        for name in CommandLine.arguments.dropFirst() { await all[name]!() }
    }
}
