/// A task of either kind, as observers know it.
public protocol TaskType: AnyObject, Sendable {
    /// Whether it has ended, in any way.
    var finished: Bool { get }
}

/// A task that can end with an error, and be cancelled.
public protocol FailableTaskType: TaskType {
    /// Whether it ended with an error of code `NSUserCancelledError`, whatever the error's domain.
    var cancelled: Bool { get }

    func cancel()
}

/// A task that ends with a value and in no other way.
public protocol NonFailableTaskType: TaskType {}
