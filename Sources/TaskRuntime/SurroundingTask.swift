import CTraceLanes
import TaskEvents

/// The Swift task that runs the calling code. Only a probe reports Swift tasks; without one, all answers are nil.
enum SurroundingTask {
    static var current: TaskID? {
        guard trace_is_recording(), trace_has_both_worlds() else { return nil }
        let number = trace_swift_task()
        return number != 0 ? TaskID(rawValue: number) : nil
    }

    /// The name for a Swift task that runs a chain's body; nil if no probe would show it.
    static func name(_ name: @autoclosure () -> String) -> String? {
        trace_is_recording() && trace_has_both_worlds() ? name() : nil
    }

    /// Records that the current Swift task awaits the value of a chain's task.
    static func noteAwaiting(of task: TaskID) {
        guard let current else { return }
        Emit.antecedent(task, of: current, role: .awaited)
    }

    /// The Swift task that failed with this very error, if a probe knows it.
    static func source(of error: any Error) -> TaskID? {
        guard trace_is_recording(), trace_has_both_worlds() else { return nil }
        let source = trace_error_source(UnsafeRawPointer(bitPattern: unsafeBitCast(error as any Error, to: UInt.self)))
        return source != 0 ? TaskID(rawValue: source) : nil
    }

    /// Records that the current Swift task has `error` from `task`, in case it ends with that error.
    static func take(_ error: any Error, of task: TaskID) {
        trace_error_left(UnsafeRawPointer(bitPattern: unsafeBitCast(error as any Error, to: UInt.self)), task.rawValue)
    }
}

/// Registers the runtime with the lanes while the program is loaded (`TRACE_REGISTRATION_PRIORITY`).
#if compiler(>=6.3)
    @used
    @section(".init_array.01000")
#else
    @_used
    @_section(".init_array.01000")
#endif
private let registration: @convention(c) () -> Void = register

private func register() {
    var part = trace_parts()
    part.running_chain = runningChain
    trace_register(&part)
}

/// Called by the probe when a Swift task is made. Returns the task whose body the calling thread runs; 0 for none. Sets `frame` to that
/// body's position on the stack, or to 0 if the body is only being made.
private func runningChain(_ frame: UnsafeMutablePointer<UInt>?) -> UInt64 {
    guard let frame, let current = ExecutionFrame.current else { return 0 }
    frame.pointee = current.pointee.isMaking ? 0 : UInt(bitPattern: current)
    return current.pointee.task.rawValue
}
