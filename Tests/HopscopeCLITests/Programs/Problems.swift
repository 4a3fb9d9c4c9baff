// Twelve planted problems, each a function of its own, as a user of Hopscope would have them. With `well` as the second argument the
// program does the same without the problem. A program goes on until it is ended.
import Dispatch
import Foundation

let isWell = CommandLine.arguments.contains("well")

@main struct Problems {
    static func main() async {
        let problems: [String: @Sendable () async -> Void] = [
            "lostError": lostError, "stuckRequest": stuckRequest, "stuckHandler": stuckHandler, "mainBlocked": mainBlocked,
            "hotActor": hotActor, "silentStream": silentStream, "leak": leak, "hopStorm": hopStorm, "awaitRing": awaitRing,
            "lockRing": lockRing, "blockedRead": blockedRead, "heldPool": heldPool,
        ]
        await problems[CommandLine.arguments[1]]?()
        while true { try? await Task.sleep(for: .milliseconds(50)) }
    }
}

/// Work that takes this long on a processor.
func compute(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while .now < end {}
}

// MARK: An error that nobody reads

struct PaymentDeclined: Error {}

func charge(_ number: Int) async throws {
    try await Task.sleep(for: .milliseconds(1))
    if number.isMultiple(of: 4), !isWell { throw PaymentDeclined() }
}

@Sendable func lostError() async {
    for number in 0..<20 { Task(name: "charge \(number)") { try await charge(number) } }
}

// MARK: A request that hangs beside quick ones

actor Inbox {
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    func confirmation(of number: Int) async {
        await withCheckedContinuation { continuation in
            waiting[number] = continuation
            if number == 7, !isWell { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { Task { await self.confirm(number) } }
        }
    }

    func confirm(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }
}

func request(_ number: Int, _ inbox: Inbox) async {
    await inbox.confirmation(of: number)
}

@Sendable func stuckRequest() async {
    let inbox = Inbox()
    for number in 0..<40 {
        Task(name: "request \(number)") { await request(number, inbox) }
        // Requests arrive one after the other. Forty in one go could reach the inbox in any order, which is a finding of its own.
        try? await Task.sleep(for: .milliseconds(5))
    }
}

// MARK: A server whose unnamed requests wait in one of its handlers

final class Mailer: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [UnsafeContinuation<Void, Never>] = []

    func confirm() async {
        await withUnsafeContinuation { continuation in
            if isWell { continuation.resume() } else { lock.withLock { kept.append(continuation) } }
        }
    }
}

/// Streams that stay open as long as the program lives.
final class OpenStreams: @unchecked Sendable { var all: [AsyncStream<Int>.Continuation] = [] }
let opened = OpenStreams()

func mail(_ mailer: Mailer) async { await mailer.confirm() }
func show() async { try? await Task.sleep(for: .milliseconds(2)) }

@Sendable func stuckHandler() async {
    let mailer = Mailer()
    let (requests, arrivals) = AsyncStream.makeStream(of: Int.self)
    Task {
        for await number in requests {
            Task { if number.isMultiple(of: 4) { await mail(mailer) } else { await show() } }
        }
    }
    for number in 0..<40 {
        arrivals.yield(number)
        try? await Task.sleep(for: .milliseconds(5))
    }
    // The loop waits for the next request as long as the program lives.
    opened.all.append(arrivals)
}

// MARK: Main is blocked

@MainActor func hashOnMain() { compute(milliseconds: isWell ? 1 : 1500) }
@MainActor func tick() {}

@Sendable func mainBlocked() async {
    let hash = Task { await hashOnMain() }
    for _ in 0..<10 {
        Task { await tick() }
        try? await Task.sleep(for: .milliseconds(5))
    }
    await hash.value
}

// MARK: A hot actor

actor Inventory {
    private var count = 0

    func reserve() {
        compute(milliseconds: 2)
        count += 1
    }
}

func order(_ inventory: Inventory) async {
    for _ in 0..<(isWell ? 5 : 10_000) {
        await inventory.reserve()
        if isWell { try? await Task.sleep(for: .milliseconds(100)) }
    }
}

@Sendable func hotActor() async {
    let inventory = Inventory()
    for number in 0..<(isWell ? 2 : 40) { Task(name: "order \(number)") { await order(inventory) } }
}

// MARK: A program that waits for a stream that stays silent

func payment(_ stream: AsyncStream<Int>) async -> Int? {
    for await number in stream { return number }
    return nil
}

@Sendable func silentStream() async {
    let (stream, source) = AsyncStream.makeStream(of: Int.self)
    if isWell { source.yield(1) }
    _ = await payment(stream)
    withExtendedLifetime(source) {}
}

// MARK: Tasks that only become more

func session(_ seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

@Sendable func leak() async {
    for _ in 0..<300 {
        Task { await session(isWell ? 0.005 : 3600) }
        try? await Task.sleep(for: .milliseconds(4))
    }
}

// MARK: A task that goes to and fro

@MainActor func add(_ sum: inout Int, _ number: Int) { sum += number }

func total() async -> Int {
    var sum = 0
    for number in 0..<(isWell ? 1 : 2000) { await add(&sum, number) }
    return sum
}

@Sendable func hopStorm() async {
    Task { @MainActor in
        while !isWell {
            compute(milliseconds: 1)
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
    _ = await Task(name: "total") { await total() }.value
}

// MARK: Tasks that wait for each other

final class Handles: @unchecked Sendable {
    var left: Task<Int, Never>?
    var right: Task<Int, Never>?
}

func waitFor(_ other: Task<Int, Never>?) async -> Int { await other?.value ?? 0 }

@Sendable func awaitRing() async {
    let handles = Handles()
    handles.left = Task(name: "left") {
        try? await Task.sleep(for: .milliseconds(50))
        return await waitFor(isWell ? nil : handles.right)
    }
    handles.right = Task(name: "right") { await waitFor(handles.left) }
}

// MARK: Locks built on continuations, taken in opposite order

actor AsyncLock {
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func lock() async {
        guard isHeld else {
            isHeld = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func unlock() { if waiting.isEmpty { isHeld = false } else { waiting.removeFirst().resume() } }
}

func checkout(_ one: AsyncLock, _ other: AsyncLock) async {
    await one.lock()
    try? await Task.sleep(for: .milliseconds(50))
    await other.lock()
    await other.unlock()
    await one.unlock()
}

@Sendable func lockRing() async {
    let (cart, stock) = (AsyncLock(), AsyncLock())
    Task(name: "checkout 4711") { await checkout(cart, stock) }
    Task(name: "checkout 4712") { await checkout(isWell ? cart : stock, isWell ? stock : cart) }
}

// MARK: A task that blocks its thread

func readByte(_ pipe: Pipe) {
    var byte: UInt8 = 0
    _ = read(pipe.fileHandleForReading.fileDescriptor, &byte, 1)
}

@Sendable func blockedRead() async {
    let pipe = Pipe()
    if isWell { pipe.fileHandleForWriting.write(Data("x".utf8)) }
    Task(name: "reader") {
        readByte(pipe)
        withExtendedLifetime(pipe) {}
    }
}

// MARK: A pool without a free thread

func hold(_ semaphore: DispatchSemaphore) {
    if isWell { semaphore.signal() }
    semaphore.wait()
}

@Sendable func heldPool() async {
    let semaphore = DispatchSemaphore(value: 0)
    for number in 0..<ProcessInfo.processInfo.activeProcessorCount { Task(name: "holder \(number)") { hold(semaphore) } }
}
