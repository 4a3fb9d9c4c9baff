import Dispatch
import Foundation

// Programs in which blocks hold what others wait for, and healthy ones.

func spin(milliseconds: Int) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let end = now.tv_sec * 1_000_000_000 + now.tv_nsec + milliseconds * 1_000_000
    while now.tv_sec * 1_000_000_000 + now.tv_nsec < end { clock_gettime(CLOCK_MONOTONIC, &now) }
}

@MainActor var count = 0
@MainActor func bump() { count += 1 }

/// Lets a deadlock last for long enough to be a finding. Its program cannot see that it stands: nothing of it runs on.
@Sendable func lastLongEnough() async {
    try? await Task.sleep(for: .milliseconds(500))
}

/// A task that needs main while blocks hold it.
@Sendable func stalled() async {
    DispatchQueue.main.async { spin(milliseconds: 300) }  // holds main
    DispatchQueue.main.async { spin(milliseconds: 1) }
    await bump()
}

/// The same, with the long work on a queue of its own.
@Sendable func unstalled() async {
    let queue = DispatchQueue(label: "load")
    await withCheckedContinuation { continuation in
        queue.async {
            spin(milliseconds: 300)
            continuation.resume()
        }
    }
    DispatchQueue.main.async { spin(milliseconds: 1) }
    await bump()
}

/// Two queues, each of which waits for the other. The program ends although they do not.
@Sendable func deadlocked() async {
    let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
    let (one, two) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    first.async {
        one.signal()
        two.wait()
        second.sync { spin(milliseconds: 1) }  // waits for second
    }
    second.async {
        two.signal()
        one.wait()
        // The compiler makes one function of two closures that do the same, and it has no line.
        spin(milliseconds: 1)
        first.sync { spin(milliseconds: 1) }  // waits for first
    }
    await lastLongEnough()
}

/// A block that waits for a work item that its own queue has to run.
@Sendable func awaited() async {
    let queue = DispatchQueue(label: "first")
    queue.async {
        let item = DispatchWorkItem { spin(milliseconds: 1) }  // needs first
        queue.async(execute: item)
        item.wait()  // waits for the item
        spin(milliseconds: 1)
    }
    await lastLongEnough()
}

/// Two queues, each of which waits for a work item that the other one has to run.
@Sendable func crossed() async {
    let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
    let (one, two) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    first.async {
        one.signal()
        two.wait()
        let item = DispatchWorkItem { spin(milliseconds: 1) }  // an item for second
        second.sync(execute: item)
        spin(milliseconds: 1)
    }
    second.async {
        two.signal()
        one.wait()
        first.sync { spin(milliseconds: 1) }  // a block for first
        spin(milliseconds: 2)
    }
    await lastLongEnough()
}

/// A block that waits for a group of two blocks, one of which its own queue has to run.
@Sendable func grouped() async {
    let queue = DispatchQueue(label: "first")
    queue.async {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { spin(milliseconds: 2) }
        queue.async(group: group) { spin(milliseconds: 1) }  // a member for first
        spin(milliseconds: 50)
        group.wait()
        spin(milliseconds: 1)
    }
    await lastLongEnough()
}

/// Blocks of the global queue wait until one of them gets no thread for a while: Dispatch makes more threads only when it sees that all
/// wait, about once a second. The program prints how many waited then.
@Sendable func exploded() async {
    let (last, entered, all) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    await withCheckedContinuation { continuation in
        let timer = DispatchQueue(label: "timer")
        timer.async {
            var blocks = 0
            repeat {
                DispatchQueue.global().async(group: all) {  // waits for the last
                    entered.signal()
                    last.wait()
                    spin(milliseconds: 1)
                }
                blocks += 1
            } while entered.wait(timeout: .now() + .milliseconds(300)) == .success
            print("waiting \(blocks - 1)")
            for _ in 0..<blocks { last.signal() }
            all.notify(queue: timer) { continuation.resume() }
        }
    }
}

/// Holds main in a run loop's observer, which no probe sees.
func holdMainUnrecorded() {
    let idle = Notification.Name("idle")
    let observer = NotificationCenter.default.addObserver(forName: idle, object: nil, queue: nil) { _ in spin(milliseconds: 500) }
    NotificationQueue.default.enqueue(Notification(name: idle), postingStyle: .whenIdle)
    withExtendedLifetime(observer) { RunLoop.main.run() }
}

@main
struct BlockHazards {
    static func main() {
        let name = CommandLine.arguments.last ?? ""
        let isSilent = name == "silent"
        Task.detached {
            switch name {
            case "stalled": await stalled()
            case "unstalled": await unstalled()
            case "deadlocked": await deadlocked()
            case "awaited": await awaited()
            case "crossed": await crossed()
            case "grouped": await grouped()
            case "exploded": await exploded()
            default: await bump()
            }
            exit(0)
        }
        if isSilent { holdMainUnrecorded() }
        dispatchMain()
    }
}
