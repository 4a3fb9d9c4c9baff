import CTraceLanes

/// Words of the calling thread's own.
enum ThreadSlot {
    /// What the thread is running.
    static var running: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[0] }
        set { trace_thread_slots()[0] = newValue }
    }

    /// What the thread is taking apart.
    static var releasing: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[1] }
        set { trace_thread_slots()[1] = newValue }
    }
}
