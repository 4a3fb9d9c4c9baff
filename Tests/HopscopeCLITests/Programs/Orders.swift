// Bugs that only some orders show, each with a healthy twin. `Orders reentrancy` runs one, `Orders reentrancy healthy` its twin.

import Dispatch
import Foundation
import Synchronization

@main
struct Orders {
    static func main() async {
        let isHealthy = CommandLine.arguments.contains("healthy")
        switch CommandLine.arguments.dropFirst().first {
        case "reentrancy": await sellTwice(isHealthy)
        case "reply": await replyBeforeWaiter(isHealthy)
        case "locks": lockInTurn(isHealthy)
        case "queue": await countOnQueue(isHealthy)
        case "cache": await keepStale(isHealthy)
        case "concurrent": await readTorn(isHealthy)
        case "pipe": readHalf(isHealthy)
        case "twice": makeTwice(isHealthy)
        case "unread": await loseError(isHealthy)
        case "signal": await awaitSignal(within: .seconds(5)) { kill(getpid(), SIGUSR1) }
        case "process": await awaitSignal(within: nil, from: askForSignal)
        case "timer": await awaitTimer()
        case "loop": await awaitRunLoop()
        case "spin": spin()
        case "greedy": takeTurns()
        case "overdrawn": await overdraw()
        case "meet": _ = meet()
        case "collide": if meet() { exit(1) }
        case "usual": exit(3)
        case "untested": exit(69)
        case "untested-xctest": print("\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds")
        case let way: await wait(in: way ?? "", isHealthy)
        }
    }
}

/// An actor that checks, waits, and acts: two buyers can pass the check. The twin acts before it waits.
actor Hall {
    private var seats = 1
    private(set) var sold = 0

    func buy(_ isHealthy: Bool) async {
        guard seats > 0 else { return }
        if isHealthy { seats -= 1 }
        try? await Task.sleep(for: .milliseconds(2))
        if !isHealthy { seats -= 1 }
        sold += 1
    }
}

func sellTwice(_ isHealthy: Bool) async {
    let hall = Hall()
    let first = Task.detached { await hall.buy(isHealthy) }
    let second = Task.detached {
        try? await Task.sleep(for: .milliseconds(10))
        await hall.buy(isHealthy)
    }
    await first.value
    await second.value
    if await hall.sold != 1 { exit(1) }
}

/// An account from which two withdrawals can take more than it has. It checks that itself, and prints a message.
actor Purse {
    private var balance = 1

    func withdraw() async {
        guard balance > 0 else { return }
        try? await Task.sleep(for: .milliseconds(2))
        balance -= 1
        precondition(balance >= 0, "the account is overdrawn")
    }
}

func overdraw() async {
    let account = Purse()
    let first = Task.detached { await account.withdraw() }
    let second = Task.detached {
        try? await Task.sleep(for: .milliseconds(10))
        await account.withdraw()
    }
    await first.value
    await second.value
}

/// A mailbox whose reply is lost if it comes before the waiter is stored. The twin keeps the reply.
actor Mailbox {
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasReply = false

    func reply(_ isHealthy: Bool) {
        if isHealthy { hasReply = true }
        waiter?.resume()
        waiter = nil
    }

    func wait() async {
        if hasReply { return }
        await withCheckedContinuation { waiter = $0 }
    }
}

func replyBeforeWaiter(_ isHealthy: Bool) async {
    let mailbox = Mailbox()
    let waiter = Task.detached(name: "waiter") { await mailbox.wait() }
    let sender = Task.detached(name: "sender") {
        try? await Task.sleep(for: .milliseconds(5))
        await mailbox.reply(isHealthy)
    }
    await sender.value
    await waiter.value
}

/// Computes for some milliseconds, so that what else has been started has usually ended.
func prepare() {
    var sum = UInt64(1)
    for number in 0..<20_000 as Range<UInt64> { sum = (sum &* 31) ^ number }
    if sum == 0 { exit(70) }
}

/// Two threads that take two locks in different orders. The twin's threads take them in one.
func lockInTurn(_ isHealthy: Bool) {
    let (left, right, done) = (NSLock(), NSLock(), DispatchSemaphore(value: 0))
    func hold(_ first: NSLock, _ second: NSLock, afterPreparing isPreparing: Bool = false) {
        Thread.detachNewThread {
            if isPreparing { prepare() }
            first.lock()
            second.lock()
            second.unlock()
            first.unlock()
            done.signal()
        }
    }
    hold(left, right)
    if isHealthy { hold(left, right, afterPreparing: true) } else { hold(right, left, afterPreparing: true) }
    done.wait()
    done.wait()
}

/// A counter that is read on one block of a queue and written on the next. The twin does both in one.
final class Counter: @unchecked Sendable {
    let queue = DispatchQueue(label: "counter")
    var count = 0

    func add(_ isHealthy: Bool) {
        guard !isHealthy else { return queue.sync { count += 1 } }
        let old = queue.sync { count }
        queue.sync { count = old + 1 }
    }
}

func countOnQueue(_ isHealthy: Bool) async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
        for isSecond in [false, true] {
            group.addTask {
                if isSecond { prepare() }
                counter.add(isHealthy)
            }
        }
    }
    if counter.queue.sync(execute: { counter.count }) != 2 { exit(1) }
}

/// A value and a cache of it. An answer that has left the store and not yet entered the cache is kept although it is stale by then. The twin
/// looks whether the cache was emptied in between.
actor Store {
    var value = 1

    func change() { value = 2 }
}

actor Cache {
    private let store: Store
    private var kept: Int?
    private var changes = 0

    init(_ store: Store) { self.store = store }

    func get(_ isHealthy: Bool) async -> Int {
        if let kept { return kept }
        let before = changes
        let value = await store.value
        if !isHealthy || before == changes { kept = value }
        return value
    }

    func empty() {
        kept = nil
        changes += 1
    }
}

func keepStale(_ isHealthy: Bool) async {
    let store = Store()
    let cache = Cache(store)
    let reader = Task.detached { _ = await cache.get(isHealthy) }
    let writer = Task.detached {
        await store.change()
        await cache.empty()
    }
    await reader.value
    await writer.value
    if await cache.get(isHealthy) != 2 { exit(1) }
}

/// Two halves of a value that are written on a concurrent queue, without a barrier. The queue goes away with its last block.
func readTorn(_ isHealthy: Bool) async {
    nonisolated(unsafe) var (first, second) = (0, 0)
    let (group, lock) = (DispatchGroup(), NSLock())
    do {
        let queue = DispatchQueue(label: "values", attributes: .concurrent)
        queue.async(group: group, flags: isHealthy ? .barrier : []) {
            first += 1
            lock.lock()
            lock.unlock()
            second += 1
        }
        queue.async(group: group) {
            prepare()
            if first != second { exit(1) }
        }
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
}

/// A reader that takes what is in a pipe for a whole message. The twin's message is written at once.
func readHalf(_ isHealthy: Bool) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(70) }
    let (input, output, done) = (ends[0], ends[1], DispatchSemaphore(value: 0))
    Thread.detachNewThread {
        if isHealthy {
            _ = write(output, "message\n", 8)
        } else {
            _ = write(output, "mess", 4)
            _ = write(output, "age\n", 4)
        }
    }
    Thread.detachNewThread {
        usleep(1000)
        var bytes = [UInt8](repeating: 0, count: 8)
        if read(input, &bytes, 8) != 8 { exit(1) }
        done.signal()
    }
    done.wait()
}

/// A value that two threads make if they find none: between the reader's lock and the writer's, another thread may have made it.
func makeTwice(_ isHealthy: Bool) {
    nonisolated(unsafe) var (lock, ended) = (pthread_rwlock_t(), sem_t())
    nonisolated(unsafe) var (value, made) = (0, 0)
    pthread_rwlock_init(&lock, nil)
    sem_init(&ended, 0, 0)
    for number in 0..<2 {
        Thread.detachNewThread {
            if number == 1 { prepare() }
            pthread_rwlock_rdlock(&lock)
            let isMissing = value == 0
            pthread_rwlock_unlock(&lock)
            if isMissing {
                pthread_rwlock_wrlock(&lock)
                if !isHealthy || value == 0 { (value, made) = (1, made + 1) }
                pthread_rwlock_unlock(&lock)
            }
            sem_post(&ended)
        }
    }
    for _ in 0..<2 { sem_wait(&ended) }
    if made != 1 { exit(1) }
}

/// A task that fails if it runs before another one, and whose error nothing reads. The twin's error is read.
func loseError(_ isHealthy: Bool) async {
    struct NotReady: Error {}
    let store = Store()
    let change = Task.detached { await store.change() }
    let look = Task.detached { if await store.value == 1 { throw NotReady() } }
    await change.value
    if isHealthy { _ = await look.result }
    try? await Task.sleep(for: .milliseconds(50))
}

/// Waits for a signal that comes through Dispatch, and for a limit. Nothing is wrong with it.
func awaitSignal(within limit: Duration?, from send: @escaping @Sendable () -> Void) async {
    nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: DispatchQueue(label: "signals"))
    let (signals, continuation) = AsyncStream<Bool>.makeStream()
    source.setEventHandler { continuation.yield(true) }
    await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.activate()
    }
    let timer = limit.map { limit in
        Task {
            try await Task.sleep(for: limit)
            continuation.yield(false)
        }
    }
    send()
    for await isSignal in signals {
        if !isSignal { exit(1) }
        break
    }
    timer?.cancel()
    source.cancel()
}

/// Another process sends the signal.
@Sendable func askForSignal() {
    var process = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup("kill -USR1 $PPID"), nil]
    posix_spawn(&process, "/bin/sh", nil, nil, arguments, environ)
}

/// Waits for a timer whose queue nothing but the timer has. Nothing is wrong with it.
func awaitTimer() async {
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    await withCheckedContinuation { continuation in
        timer.setEventHandler {
            timer.cancel()
            continuation.resume()
        }
        timer.schedule(deadline: .now() + 0.001, repeating: 0.002)
        timer.activate()
    }
}

/// Waits half a minute for a timer of a run loop. Nothing is wrong with it.
func awaitRunLoop() async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let timer = Timer(timeInterval: 30, repeats: false) { _ in continuation.resume() }
            RunLoop.current.add(timer, forMode: .default)
            _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
    }
}

final class Flag: Sendable {
    let isSet = Atomic(false)
}

/// A thread looks at a flag again and again, until another one sets it. Nothing is wrong with it.
func spin() {
    let (flag, done) = (Flag(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
        while !flag.isSet.load(ordering: .acquiring) {}
        done.signal()
    }
    Thread.detachNewThread { flag.isSet.store(true, ordering: .releasing) }
    done.wait()
}

/// A thread calls a queue again and again, until another one has set a flag. Nothing is wrong with it.
func takeTurns() {
    let (flag, done, queue) = (Flag(), DispatchSemaphore(value: 0), DispatchQueue(label: "busy"))
    Thread.detachNewThread {
        while !flag.isSet.load(ordering: .acquiring) { queue.sync {} }
        done.signal()
    }
    Thread.detachNewThread { flag.isSet.store(true, ordering: .releasing) }
    done.wait()
}

/// Lives for some milliseconds, and leaves the file `met` if another process of this program runs in the folder meanwhile. Returns whether
/// one did at the beginning.
func meet() -> Bool {
    let running = open("running", O_CREAT | O_RDWR, 0o600)
    guard running >= 0 else { exit(70) }
    // The process's end gives the lock back.
    let meets = flock(running, LOCK_EX | LOCK_NB) != 0
    if meets { close(open("met", O_CREAT | O_WRONLY, 0o600)) }
    for _ in 0..<10 { prepare() }
    return meets
}
