#if !THREAD_SANITIZER
    import Synchronization
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A value that only who holds its lock can reach. Any thread may use it; a thread that holds the lock may not take it again.
///
/// It is public for the compiler to make a version of it for each value's type in other modules, which it does with nothing that is `package`.
///
/// It is `Synchronization.Mutex`. That is made of instructions which the thread sanitizer does not see, so that it takes every use of the
/// value for a race: with `-DTHREAD_SANITIZER`, which `make sanitize` passes, the lock is one of pthread's, which it knows.
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    // The lock lets one thread at a time at the value, and `sending` takes it from whoever made it.

    #if THREAD_SANITIZER
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        public init(_ value: consuming sending Value) {
            pthread_mutex_init(mutex, nil)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Calls `body` with the value while the lock is held.
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    #else
        @usableFromInline
        let mutex: Mutex<Value>

        @inlinable
        public init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        /// Calls `body` with the value while the lock is held.
        @inlinable
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
