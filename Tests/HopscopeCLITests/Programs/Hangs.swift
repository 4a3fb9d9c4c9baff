// A program that hangs in the way that its argument names; with `slow` after it, it ends in time. Each way is a function of its own.
import Dispatch
import Foundation

func finish(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
    guard CommandLine.arguments.contains("slow") else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
}

final class Handles: @unchecked Sendable {
    var first: Task<Int, Never>?
    var second: Task<Int, Never>?
    let stop = DispatchSemaphore(value: 0)
}

func awaitCycle() async {
    let handles = Handles()
    let isSlow = CommandLine.arguments.contains("slow")
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

func endlessSleep() async { try? await Task.sleep(for: CommandLine.arguments.contains("slow") ? .seconds(0.5) : .seconds(3600)) }

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

@main struct Hangs {
    static func main() async {
        let ways: [String: @Sendable () async -> Void] = [
            "awaitCycle": awaitCycle, "leakedContinuation": leakedContinuation, "semaphoreInTask": semaphoreInTask,
            "lockInTask": lockInTask,
            "openStream": openStream, "actorWaitsOnItself": actorWaitsOnItself, "endlessSleep": endlessSleep, "blockingRead": blockingRead,
            "groupOfOne": groupOfOne, "mainIsBlocked": mainIsBlocked,
        ]
        await ways[CommandLine.arguments[1]]?()
    }
}
