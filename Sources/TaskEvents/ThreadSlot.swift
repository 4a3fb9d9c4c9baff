import CTraceLanes

/// One word of the calling thread's own, for the runtime to say what the thread is running.
package enum ThreadSlot {
    @inlinable
    package static var value: UnsafeMutableRawPointer? {
        get { trace_thread_slot().pointee }
        set { trace_thread_slot().pointee = newValue }
    }
}
