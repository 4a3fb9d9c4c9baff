// Programs as Swift 6.4 compiles them. The first argument picks one.

import Dispatch
import Foundation
import LaterRuntime

/// Computes for so many milliseconds.
func compute(_ milliseconds: Int) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
    while DispatchTime.now().uptimeNanoseconds < end {}
}

final class Doors: @unchecked Sendable {
    let isIn = DispatchSemaphore(value: 0)
    let isCancelled = DispatchSemaphore(value: 0)
}

func cleanUp(_ doors: Doors) async {
    await withTaskCancellationShield {  // cleans up
        doors.isIn.signal()
        doors.isCancelled.wait()
        compute(200)
        await Task.yield()
        compute(20)
    }
}

/// A task that is cancelled in a shield. It works on there, then outside of it for `after` milliseconds.
func shielded(after: Int) async {
    let doors = Doors()
    let task = Task(name: "cleaner") {
        await cleanUp(doors)
        compute(after)
    }
    await wait(doors.isIn)
    task.cancel()
    doors.isCancelled.signal()
    await task.value
}

/// A task that enters a shield after it was cancelled.
func shieldedLater() async {
    let doors = Doors()
    let task = Task(name: "cleaner") {
        doors.isIn.signal()
        doors.isCancelled.wait()
        await withTaskCancellationShield { await withTaskCancellationShield { compute(200) } }
    }
    await wait(doors.isIn)
    task.cancel()
    doors.isCancelled.signal()
    await task.value
}

@MainActor func tidy() async {
    await withTaskCancellationShield {  // tidies
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// A task that waits in its shield when the program ends.
@MainActor func shieldedAtEnd() async {
    let task = Task(name: "cleaner") { @MainActor in await tidy() }
    await Task.yield()
    task.cancel()
    exit(0)
}

/// Waits without a thread of the pool.
func wait(_ semaphore: DispatchSemaphore) async {
    await withUnsafeContinuation { continuation in
        Thread {
            semaphore.wait()
            continuation.resume()
        }.start()
    }
}

final class Kept: @unchecked Sendable {
    private var continuation: Continuation<Int, Never>?
    init(_ continuation: consuming Continuation<Int, Never>) { self.continuation = consume continuation }
    func resume(_ value: Int) { if let taken = continuation.take() { taken.resume(returning: value) } }
    func drop() { _ = continuation.take() }
}

func resumed() async {
    let asker = Task(name: "asker") { @MainActor in
        await withContinuation(of: Int.self) { continuation in
            let kept = Kept(continuation)
            Task.detached(name: "answerer") {
                // The asker has main until it waits.
                await MainActor.run {}
                kept.resume(42)
            }
        }
    }
    print("answer \(await asker.value)")
}

func ask() async -> Int {
    await withContinuation(of: Int.self) { continuation in
        print("forgets")
    }  // drops at once
}

func forgotten() async {
    print(await Task(name: "asker") { await ask() }.value)
}

func forgottenLater() async {
    let asker = Task(name: "asker") {
        await withContinuation(of: Int.self) { continuation in  // waits in vain
            let kept = Kept(continuation)
            Thread {
                usleep(20_000)
                kept.drop()  // drops later
            }.start()
        }
    }
    print(await asker.value)
}

@main
enum LaterSwift {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "shielded": await shielded(after: 0)
        case "shielded and late": await shielded(after: 200)
        case "shielded later": await shieldedLater()
        case "shielded at end": await shieldedAtEnd()
        case "resumed": await resumed()
        case "forgotten": await forgotten()
        default: await forgottenLater()
        }
    }
}
