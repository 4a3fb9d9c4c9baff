import TaskEvents

extension TaskView {
    /// When it suspended last, in nanoseconds; nil if it is not suspended.
    package var suspendedSince: UInt64? {
        guard state == .suspended else { return nil }
        return store.fold.course(of: record)?.pointee.lastTime(of: .suspended)
    }
}
