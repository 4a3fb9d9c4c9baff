// Bugs of threads, queues, locks and files that only some orders show, each with a healthy twin. None of them needs a sleep.

import Dispatch
import Foundation

/// Runs two threads to their ends. The second one computes first: without a tool that chooses, the first one usually has ended by then, and
/// the bugs do not show.
private func twoThreads(_ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    for (number, body) in [first, second].enumerated() {
        Thread.detachNewThread {
            if number == 1 { prepare() }
            body()
            done.signal()
        }
    }
    for _ in 0..<2 { done.wait() }
}

private final class Box: @unchecked Sendable {
    let lock = NSLock(), other = NSLock(), condition = NSCondition()
    let queue = DispatchQueue(label: "one"), many = DispatchQueue(label: "many", attributes: .concurrent)
    var count = 0, second = 0, isSet = false, items: [Int] = []

    func locked<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}

private func pipeEnds() -> (input: Int32, output: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(70) }
    return (ends[0], ends[1])
}

private func send(_ file: Int32, _ text: String) { _ = write(file, text, text.utf8.count) }

private func receive(_ file: Int32, _ most: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: most)
    let count = read(file, &bytes, most)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

extension Planted {
    static let threads: [String: Bug] = [
        "two-locks": { healthy in
            let box = Box()
            let add: @Sendable () -> Void = {
                if healthy { return box.locked { box.count += 1 } }
                let old = box.locked { box.count }
                box.locked { box.count = old + 1 }
            }
            twoThreads(add, add)
            check(box.count == 2)
        },
        "lock-order": { healthy in
            let box = Box()
            twoThreads({
                box.locked {
                    box.other.lock()
                    box.other.unlock()
                }
            }) {
                if healthy {
                    return box.locked {
                        box.other.lock()
                        box.other.unlock()
                    }
                }
                box.other.lock()
                box.locked {}
                box.other.unlock()
            }
        },
        "condition-missed": { healthy in
            let box = Box()
            twoThreads(
                {
                    if !healthy, box.locked({ box.isSet }) { return }
                    box.condition.lock()
                    if healthy { while !box.locked({ box.isSet }) { box.condition.wait() } } else { box.condition.wait() }
                    box.condition.unlock()
                },
                {
                    box.condition.lock()
                    box.locked { box.isSet = true }
                    box.condition.signal()
                    box.condition.unlock()
                })
        },
        "publish-early": { healthy in
            let box = Box()
            twoThreads(
                {
                    if !healthy { box.locked { box.isSet = true } }
                    box.locked { box.count = 7 }
                    if healthy { box.locked { box.isSet = true } }
                }, { if box.locked({ box.isSet }) { check(box.locked { box.count } == 7) } })
        },
        "queue-read-write": { healthy in
            let box = Box()
            let add: @Sendable () -> Void = {
                if healthy { return box.queue.sync { box.count += 1 } }
                let old = box.queue.sync { box.count }
                box.queue.sync { box.count = old + 1 }
            }
            twoThreads(add, add)
            check(box.queue.sync { box.count } == 2)
        },
        "async-then-read": { healthy in
            let box = Box()
            box.many.async(flags: .barrier) { box.locked { box.count = 1 } }
            if healthy {
                check(box.many.sync { box.locked { box.count } } == 1)
            } else {
                let seen = Box()
                twoThreads({ box.many.sync {} }, { seen.locked { seen.count = box.locked { box.count } } })
                check(seen.count == 1)
            }
        },
        "missing-barrier": { healthy in
            let (box, group) = (Box(), DispatchGroup())
            for number in 0..<2 {
                box.many.async(group: group, flags: healthy ? .barrier : []) {
                    if number == 1 { prepare() }
                    let old = box.locked { box.count }
                    box.locked { box.count = old + 1 }
                }
            }
            await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
            check(box.count == 2)
        },
        "group-leaves-early": { healthy in
            let (box, group) = (Box(), DispatchGroup())
            group.enter()
            DispatchQueue.global().async {
                if !healthy { group.leave() }
                box.locked { box.count = 1 }
                if healthy { group.leave() }
            }
            await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
            check(box.locked { box.count } == 1)
        },
        "semaphore-handoff": { healthy in
            let (box, ready) = (Box(), DispatchSemaphore(value: 0))
            twoThreads(
                {
                    if !healthy { ready.signal() }
                    box.locked { box.items.append(1) }
                    if healthy { ready.signal() }
                },
                {
                    ready.wait()
                    check(box.locked { box.items.count } == 1)
                })
        },
        "pool-starves": { healthy in
            let (box, done) = (Box(), DispatchSemaphore(value: 0))
            let wait: @Sendable () -> Void = {
                if healthy { return box.locked { box.count += 1 } }
                if box.locked({ box.count }) == 1 { box.queue.sync {} }
                box.locked { box.count += 1 }
            }
            box.queue.async {
                wait()
                done.signal()
            }
            Thread.detachNewThread {
                prepare()
                box.locked { box.count = 1 }
            }
            done.wait()
        },
        "half-message": { healthy in
            let (input, output) = pipeEnds()
            twoThreads(
                {
                    if healthy { return send(output, "full text") }
                    send(output, "full")
                    send(output, " text")
                }, { check(receive(input, 32) == "full text") })
        },
        "two-writers": { healthy in
            let (box, ends) = (Box(), pipeEnds())
            let write: @Sendable (String, String) -> Void = { first, second in
                if healthy { return send(ends.output, first + second) }
                send(ends.output, first)
                box.locked {}
                send(ends.output, second)
            }
            twoThreads({ write("a", "b") }, { write("c", "d") })
            let text = receive(ends.input, 8)
            check(text == "abcd" || text == "cdab")
        },
        "file-exists": { healthy in
            let (box, path) = (Box(), "/dev/shm/hopscope-planted-\(getpid())")
            unlink(path)
            let make: @Sendable () -> Void = {
                if healthy {
                    let file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
                    if file >= 0 { box.locked { box.count += 1 } }
                    return
                }
                if box.locked({ access(path, F_OK) != 0 }) {
                    _ = open(path, O_CREAT | O_WRONLY, 0o600)
                    box.locked { box.count += 1 }
                }
            }
            twoThreads(make, make)
            unlink(path)
            check(box.count == 1)
        },
        "reader-upgrades": { healthy in
            nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
            pthread_rwlock_init(lock, nil)
            let box = Box()
            let make: @Sendable () -> Void = {
                pthread_rwlock_rdlock(lock)
                let isMissing = box.count == 0
                pthread_rwlock_unlock(lock)
                guard isMissing else { return }
                pthread_rwlock_wrlock(lock)
                if !healthy || box.count == 0 { box.count += 1 }
                pthread_rwlock_unlock(lock)
            }
            twoThreads(make, make)
            check(box.count == 1)
        },
        "filled-twice": { healthy in
            let box = Box()
            let fill: @Sendable () -> Void = {
                if healthy { return box.queue.sync { if box.items.isEmpty { box.items.append(1) } } }
                if box.queue.sync(execute: { box.items.isEmpty }) { box.queue.sync { box.items.append(1) } }
            }
            twoThreads(fill, fill)
            check(box.items.count == 1)
        },
        "empty-queue": { healthy in
            let box = Box()
            box.items = [1]
            let take: @Sendable () -> Void = {
                if healthy { return box.locked { if !box.items.isEmpty { box.items.removeLast() } } }
                if box.locked({ !box.items.isEmpty }) { box.locked { _ = box.items.removeLast() } }
            }
            twoThreads(take, take)
        },
    ]

    static func run(_ name: String, _ healthy: Bool) async {
        guard let bug = tasks[name] ?? threads[name] else { exit(64) }
        await bug(healthy)
    }
}
