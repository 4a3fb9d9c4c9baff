import Glibc

/// A pause that can be cut short, from now on for good.
final class Alarm: @unchecked Sendable {
    // Both are used through their addresses alone, and `hasRung` with the mutex held.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasRung = false

    init() {
        pthread_mutex_init(mutex, nil)
        // By a clock that cannot be set.
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

    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns after that time, or sooner: the caller looks at what there is to do.
    func wait(nanoseconds: UInt64) {
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
