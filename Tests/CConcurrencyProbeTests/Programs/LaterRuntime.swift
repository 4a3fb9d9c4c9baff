// This library has what Swift 6.4 adds to the runtime's library, with the same symbols, conventions and names, as far as this toolchain can
// compile it. It is compiled as a part of Swift's own modules. `LaterRuntime.c` has the functions that are not written in Swift there.

import Swift
import _Concurrency

@frozen
public struct Continuation<Success: ~Copyable, Failure: Error>: ~Copyable, @unchecked Sendable {
    @usableFromInline let context: Builtin.RawUnsafeContinuation

    @inlinable init(_ context: Builtin.RawUnsafeContinuation) { self.context = context }

    deinit {
        let _: Never = fatalError("Continuation was deinitialized without being resumed.")
    }

    @_alwaysEmitIntoClient
    consuming func takeContext() -> Builtin.RawUnsafeContinuation {
        let context = self.context
        discard self
        return context
    }
}

// This toolchain resumes with values that can be copied only.
extension Continuation {
    @_alwaysEmitIntoClient
    public consuming func resume(returning value: consuming sending Success) where Failure == Never {
        Builtin.resumeNonThrowingContinuationReturning(takeContext(), value)
    }
}

@_alwaysEmitIntoClient
public nonisolated(nonsending) func withContinuation<Success>(
    of: Success.Type, _ body: (consuming Continuation<Success, Never>) -> Void
) async -> sending Success {
    await Builtin.withUnsafeContinuation { body(Continuation<Success, Never>($0)) }
}

@_silgen_name("swift_task_cancellationShieldPush")
@usableFromInline func pushShield() -> Bool

@_silgen_name("swift_task_cancellationShieldPop")
@usableFromInline func popShield()

@_alwaysEmitIntoClient
public nonisolated(nonsending) func withTaskCancellationShield<Value>(
    operation: nonisolated(nonsending) () async -> Value
) async -> Value {
    let didInstallShield = pushShield()
    defer { if didInstallShield { popShield() } }
    return await operation()
}
