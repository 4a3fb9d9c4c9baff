/// What a task is doing, or how it ended. Exactly one at a time.
package enum TaskState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled

    package var hasEnded: Bool {
        switch self {
        case .pending, .queued, .running, .suspended: false
        case .succeeded, .faulted, .cancelled: true
        }
    }
}
