import Synchronization

#if THREAD_SANITIZER
    import CTraceLanes
#endif

/// A value that can be reached only through its lock. Any thread may use it; a thread that holds the lock may not take it again.
///
/// Public, because the compiler specialises nothing that is `package` in other modules.
///
/// The lock is `Synchronization.Mutex`. The thread sanitizer does not know it, and would take every use of the value for a race. With
/// `-DTHREAD_SANITIZER`, which `make sanitize` passes, each section tells the sanitizer that it follows the section before it.
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    // The lock admits one thread at a time, and `sending` takes the value from its maker.

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
