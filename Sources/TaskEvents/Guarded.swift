import Synchronization

#if THREAD_SANITIZER
    import CTraceLanes
#endif

/// A value that is reachable only through its lock. Any thread may use it. A thread that holds the lock must not take it again.
///
/// The type is public because the compiler does not specialise `package` code in other modules.
///
/// The lock is `Synchronization.Mutex`. The thread sanitizer does not know this lock and would report every use of the value as a race.
/// With `-DTHREAD_SANITIZER`, which `make sanitize` passes, each critical section informs the sanitizer that it follows the previous one.
@_documentation(visibility: internal)
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    // Safe to send: the lock admits one thread at a time, and `sending` transfers the value from its creator.

    @usableFromInline
    let mutex: Mutex<Value>

    #if THREAD_SANITIZER
        private let address = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

        public init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        deinit {
            address.deallocate()
        }

        /// Calls `body` with the value while the lock is held.
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock { value throws(Failure) in
                __tsan_acquire(address)
                defer { __tsan_release(address) }
                return try body(&value)
            }
        }
    #else
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
