// Ways to hang, each a function of its own. With `slow` as an argument, or with HANGS_SLOW in the environment, each ends in time.
import Dispatch
import Foundation

let isSlow = CommandLine.arguments.contains("slow") || getenv("HANGS_SLOW") != nil

func finish(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
    guard isSlow else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
}

final class Handles: @unchecked Sendable {
    var first: Task<Int, Never>?
    var second: Task<Int, Never>?
    let stop = DispatchSemaphore(value: 0)
}

func awaitCycle() async {
    let handles = Handles()
    handles.first = Task {
        try? await Task.sleep(for: .milliseconds(50))
        return await waitForOther(isSlow ? nil : handles.second)
    }
    handles.second = Task { await waitForOther(handles.first) }
    _ = await handles.first?.value
}
func waitForOther(_ other: Task<Int, Never>?) async -> Int { await other?.value ?? 0 }

func leakedContinuation() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        finish(after: 0.5) { continuation.resume() }
    }
}

func semaphoreInTask() async {
    let semaphore = DispatchSemaphore(value: 0)
    finish(after: 0.5) { semaphore.signal() }
    await Task { hold(semaphore) }.value
}
func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }

func lockInTask() async {
    let lock = NSLock()
    lock.lock()
    finish(after: 0.5) { lock.unlock() }
    await Task { take(lock) }.value
}
func take(_ lock: NSLock) {
    lock.lock()
    lock.unlock()
}

func openStream() async {
    let (stream, source) = AsyncStream.makeStream(of: Int.self)
    finish(after: 0.5) { source.finish() }
    await drain(stream)
    withExtendedLifetime(source) {}
}
func drain(_ stream: AsyncStream<Int>) async { for await number in stream { print(number) } }

actor Account {
    var balance = 0
    func deposit(_ amount: Int) { balance += amount }
    /// Blocks the actor until a task has run that needs the actor.
    func depositAndWait(_ amount: Int) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await deposit(amount)
            done.signal()
        }
        finish(after: 0.5) { done.signal() }
        done.wait()
    }
}
func actorWaitsOnItself() async { await Account().depositAndWait(1) }

func endlessSleep() async { try? await Task.sleep(for: isSlow ? .seconds(0.5) : .seconds(3600)) }

func blockingRead() async {
    let pipe = Pipe()
    finish(after: 0.5) { pipe.fileHandleForWriting.write(Data("x".utf8)) }
    await Task { readByte(pipe) }.value
}
func readByte(_ pipe: Pipe) {
    var byte: UInt8 = 0
    _ = read(pipe.fileHandleForReading.fileDescriptor, &byte, 1)
}

func groupOfOne() async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask {} }
        group.addTask { await leakedContinuation() }
    }
}

@MainActor func mainIsBlocked() async {
    let task = Task { @MainActor in print("turn") }
    hold(DispatchQueue.main, task)
    await task.value
}
@MainActor func hold(_ queue: DispatchQueue, _ task: Task<Void, Never>) {
    let done = DispatchSemaphore(value: 0)
    finish(after: 0.5) { done.signal() }
    done.wait()
}

func openThrowingStream() async {
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    finish(after: 0.5) { source.finish() }
    try? await drain(throwing: stream)
    withExtendedLifetime(source) {}
}
func drain(throwing stream: AsyncThrowingStream<Int, any Error>) async throws { for try await number in stream { print(number) } }

/// The end of the function waits for its child, which the function never reads.
func unreadChild() async {
    async let answer: Void = leakedContinuation()
    print("made")
}

/// Two tasks take two locks in opposite order.
func locksInTurn() async {
    let (one, other) = (NSLock(), NSLock())
    let (hasOne, hasOther) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let first = Task { take(one, then: other, tell: hasOne, waitFor: hasOther) }
    let second = Task { take(isSlow ? one : other, then: isSlow ? other : one, tell: hasOther, waitFor: hasOne) }
    await first.value
    await second.value
}
func take(_ one: NSLock, then other: NSLock, tell: DispatchSemaphore, waitFor: DispatchSemaphore) {
    one.lock()
    tell.signal()
    if isSlow { usleep(100_000) } else { waitFor.wait() }
    other.lock()
    other.unlock()
    one.unlock()
}

func groupNeverLeft() async {
    let group = DispatchGroup()
    group.enter()
    finish(after: 0.5) { group.leave() }
    await Task { wait(on: group) }.value
}
func wait(on group: DispatchGroup) { group.wait() }

func conditionNeverSignalled() async {
    let condition = NSCondition()
    finish(after: 0.5) { condition.broadcast() }
    await Task { wait(on: condition) }.value
}
func wait(on condition: NSCondition) {
    condition.lock()
    condition.wait()
    condition.unlock()
}

func queueIsHeld() async {
    let queue = DispatchQueue(label: "held")
    let (semaphore, entered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.async {
        entered.signal()
        semaphore.wait()
    }
    finish(after: 0.5) { semaphore.signal() }
    await Task { enter(queue, after: entered) }.value
}
func enter(_ queue: DispatchQueue, after entered: DispatchSemaphore) {
    entered.wait()
    queue.sync {}
}

actor Vault {
    var visits = 0
    func look() { visits += 1 }
    func hold(_ semaphore: DispatchSemaphore, _ entered: DispatchSemaphore) {
        entered.signal()
        semaphore.wait()
        visits += 1
    }
}
func actorIsHeld() async {
    let vault = Vault()
    let (semaphore, entered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    finish(after: 0.5) { semaphore.signal() }
    Task { await vault.hold(semaphore, entered) }
    await Task { hold(entered) }.value
    await vault.look()
}

/// As many tasks as the pool has threads wait for one that gets no thread.
func poolIsFull() async {
    let semaphore = DispatchSemaphore(value: 0)
    let count = ProcessInfo.processInfo.activeProcessorCount
    let holders = (0..<count).map { _ in Task { hold(semaphore) } }
    finish(after: 0.5) { for _ in 0..<count { semaphore.signal() } }
    await Task { for _ in 0..<count { semaphore.signal() } }.value
    for holder in holders { await holder.value }
}

func awaitsItself() async {
    let handles = Handles()
    handles.first = Task {
        try? await Task.sleep(for: .milliseconds(50))
        return await waitForOther(isSlow ? nil : handles.first)
    }
    _ = await handles.first?.value
}

final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false
    func set() { lock.withLock { isSet = true } }
    func read() -> Bool { lock.withLock { isSet } }
}
func polls() async {
    let flag = Flag()
    finish(after: 0.5) { flag.set() }
    while !flag.read() { try? await Task.sleep(for: .milliseconds(1)) }
}

// A task that is on a processor is at the line of its loop.
func yields() async {
    let (flag, isEndless) = (Flag(), !isSlow)
    finish(after: 0.5) { flag.set() }
    while isEndless || !flag.read() { await Task.yield() }
}

struct Refused: Error {}
func connect() async throws { throw Refused() }
func retries() async {
    let (flag, isEndless) = (Flag(), !isSlow)
    finish(after: 0.5) { flag.set() }
    while isEndless || !flag.read() {
        do { return try await connect() } catch { try? await Task.sleep(nanoseconds: 20_000_000) }
    }
}

/// Asks again for a value that is there at once, and is never the right one.
func asksAgain() async {
    let (flag, isEndless, queue) = (Flag(), !isSlow, DispatchQueue(label: "answers"))
    finish(after: 0.5) { flag.set() }
    while isEndless || !flag.read() { let _: Void = await withUnsafeContinuation { it in queue.async { it.resume() } } }
}
func asksAnotherTask() async {
    let (flag, isEndless) = (Flag(), !isSlow)
    finish(after: 0.5) { flag.set() }
    while isEndless || !flag.read() { _ = await Task { (0..<100_000).reduce(0, ^) }.value }
}

/// Two queues, each of which waits for the other's block.
func queuesInTurn() async {
    let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
    let (inFirst, inSecond) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    second.async {
        inSecond.signal()
        inFirst.wait()
        if !isSlow { first.sync {} }
    }
    await Task { cross(from: first, to: second, inFirst, inSecond) }.value
}
func cross(from first: DispatchQueue, to second: DispatchQueue, _ inFirst: DispatchSemaphore, _ inSecond: DispatchSemaphore) {
    first.sync {
        inSecond.wait()
        inFirst.signal()
        second.sync {}
    }
}

/// The peer of a connection says nothing.
func silentSocket() async {
    let (client, server) = connection()
    finish(after: 0.5) { _ = send(server, "x", 1, 0) }
    await Task { receive(from: client) }.value
}
func receive(from client: Int32) {
    var byte: UInt8 = 0
    _ = recv(client, &byte, 1, 0)
}
func connection() -> (client: Int32, server: Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            // The system chooses the port.
            bind(listener, address, size)
            listen(listener, 1)
            getsockname(listener, address, &size)
            connect(client, address, size)
        }
    }
    return (client, accept(listener, nil, nil))
}
