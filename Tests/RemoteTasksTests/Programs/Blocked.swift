// Threads that block, each in a function of its own. `ready` follows once all are about to block.
import Dispatch
import Glibc

let entered = DispatchSemaphore(value: 0)
let queue = DispatchQueue(label: "held")

@inline(never) func waitsForGroup() -> Int {
    let group = DispatchGroup()
    group.enter()
    entered.signal()
    group.wait()  // waitsForGroup
    return 1
}

@inline(never) func waitsForGroupInTime() -> Int {
    let group = DispatchGroup()
    group.enter()
    entered.signal()
    return group.wait(timeout: .now() + 3600) == .success ? 1 : 2  // waitsForGroupInTime
}

@inline(never) func waitsForSemaphore() -> Int {
    let gate = DispatchSemaphore(value: 0)
    entered.signal()
    gate.wait()  // waitsForSemaphore
    return 1
}

@inline(never) func waitsForQueue() -> Int {
    entered.signal()
    return queue.sync { 1 }  // waitsForQueue
}

@inline(never) func waitsForLock() -> Int {
    var lock = pthread_mutex_t()
    pthread_mutex_init(&lock, nil)
    pthread_mutex_lock(&lock)
    entered.signal()
    return Int(pthread_mutex_lock(&lock))  // waitsForLock
}

@inline(never) func waitsForBytes() -> Int {
    var ends: [Int32] = [0, 0]
    var byte: UInt8 = 0
    guard pipe(&ends) == 0 else { return 0 }
    entered.signal()
    return read(ends[0], &byte, 1)  // waitsForBytes
}

@inline(never) func sleepsLong() -> Int {
    entered.signal()
    return Int(sleep(3600))  // sleepsLong
}

@main struct Blocked {
    static func main() {
        let ways: [@Sendable () -> Int] = [
            { waitsForGroup() }, { waitsForGroupInTime() }, { waitsForSemaphore() }, { waitsForQueue() }, { waitsForLock() },
            { waitsForBytes() }, { sleepsLong() },
        ]
        queue.async { sleep(3600) }
        for way in ways { DispatchQueue(label: "thread").async { print(way()) } }
        for _ in ways { entered.wait() }
        print("ready")
        fflush(stdout)
        while true { pause() }
    }
}
