import Dispatch
import Foundation
import Glibc

/// A lock that a thread of its own holds for a while.
final class HeldLock: @unchecked Sendable {
    private var mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    static func hold(_ seconds: Double) -> HeldLock {
        let held = HeldLock()
        pthread_mutex_init(held.mutex, nil)
        let taken = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pthread_mutex_lock(held.mutex)
            taken.signal()
            usleep(UInt32(seconds * 1_000_000))
            pthread_mutex_unlock(held.mutex)
        }
        taken.wait()
        return held
    }

    func wait() {
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
    }
}

/// Threads that keep the first processor busy.
final class Spinners: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false

    init(_ count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                _ = Processors.pin()
                while !lock.withLock({ isOver }) { for _ in 0..<100_000 { _ = getppid() } }
            }
        }
    }

    func stop() { lock.withLock { isOver = true } }
}

enum Processors {
    private typealias Call = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    /// Keeps the calling thread on the first processor. Returns the set that it had.
    static func pin() -> [UInt8] {
        var usual = [UInt8](repeating: 0, count: 128)
        var first = [UInt8](repeating: 0, count: 128)
        first[0] = 1
        call("sched_getaffinity", &usual)
        call("sched_setaffinity", &first)
        return usual
    }

    static func restore(_ usual: [UInt8]) {
        var usual = usual
        call("sched_setaffinity", &usual)
    }

    /// Swift does not import these functions.
    private static func call(_ name: String, _ processors: inout [UInt8]) {
        guard let function = dlsym(nil, name), unsafeBitCast(function, to: Call.self)(0, processors.count, &processors) >= 0 else {
            fatalError("\(name) failed: \(errno)")
        }
    }
}
