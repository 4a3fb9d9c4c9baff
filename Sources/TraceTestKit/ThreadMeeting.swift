import Foundation

/// A barrier: its threads wait until all have come, so that they exist at the same time.
package final class ThreadMeeting: @unchecked Sendable {
    private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

    package init(of threads: Int) {
        pthread_barrier_init(barrier, nil, UInt32(threads))
    }

    deinit {
        pthread_barrier_destroy(barrier)
        barrier.deallocate()
    }

    package func wait() {
        pthread_barrier_wait(barrier)
    }
}
