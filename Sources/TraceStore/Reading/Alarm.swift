import Glibc

/// A pause that another thread can cut short. Once the alarm has rung, no later pause waits.
package final class Alarm: @unchecked Sendable {
    // Safe to send: the mutex and the condition are used only through their addresses, and `hasRung` only with the mutex held.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasRung = false

    package init() {
        pthread_mutex_init(mutex, nil)
        // The monotonic clock, because it cannot be set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns after that time or earlier. The caller checks for work in either case.
    package func wait(nanoseconds: UInt64) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let sum = UInt64(end.tv_nsec) + nanoseconds
        end.tv_sec += Int(sum / 1_000_000_000)
        end.tv_nsec = Int(sum % 1_000_000_000)
        pthread_mutex_lock(mutex)
        if !hasRung { pthread_cond_timedwait(condition, mutex, &end) }
        pthread_mutex_unlock(mutex)
    }
}
