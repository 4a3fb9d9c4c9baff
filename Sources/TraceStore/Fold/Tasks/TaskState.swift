/// The state of a task. A task has exactly one state at a time.
package enum TaskState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled

    package var hasEnded: Bool {
        switch self {
        case .pending, .queued, .running, .suspended: false
        case .succeeded, .faulted, .cancelled: true
        }
    }
}
