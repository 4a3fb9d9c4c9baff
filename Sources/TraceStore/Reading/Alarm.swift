import Glibc
import TaskEvents

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

    /// Returns after that time, or when the alarm has rung.
    package func wait(nanoseconds: UInt64) {
        var end = TimeSource.moment(in: min(nanoseconds, UInt64(Int64.max)))
        pthread_mutex_lock(mutex)
        while !hasRung, pthread_cond_timedwait(condition, mutex, &end) == 0 {}
        pthread_mutex_unlock(mutex)
    }
}
