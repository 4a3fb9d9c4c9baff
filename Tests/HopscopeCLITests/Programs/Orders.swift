// Bugs that only some orders show, each with a healthy twin. `Orders reentrancy` runs one, `Orders reentrancy healthy` its twin.

import Dispatch
import Foundation

@main
struct Orders {
    static func main() async {
        let isHealthy = CommandLine.arguments.contains("healthy")
        switch CommandLine.arguments.dropFirst().first {
        case "reentrancy": await sellTwice(isHealthy)
        case "reply": await replyBeforeWaiter(isHealthy)
        case "locks": lockInTurn(isHealthy)
        case "queue": await countOnQueue(isHealthy)
        case "usual": exit(3)
        case _: exit(64)
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
    let waiter = Task.detached { await mailbox.wait() }
    let sender = Task.detached {
        try? await Task.sleep(for: .milliseconds(5))
        await mailbox.reply(isHealthy)
    }
    await sender.value
    await waiter.value
}

/// Two threads that take two locks in different orders. The twin's threads take them in one.
func lockInTurn(_ isHealthy: Bool) {
    let (left, right, done) = (NSLock(), NSLock(), DispatchSemaphore(value: 0))
    func hold(_ first: NSLock, _ second: NSLock) {
        Thread.detachNewThread {
            first.lock()
            second.lock()
            second.unlock()
            first.unlock()
            done.signal()
        }
    }
    hold(left, right)
    if isHealthy { hold(left, right) } else { hold(right, left) }
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
        for _ in 0..<2 { group.addTask { counter.add(isHealthy) } }
    }
    if counter.queue.sync(execute: { counter.count }) != 2 { exit(1) }
}
