/// A changed copy of the toolchain's runtime or of another version's.
package struct RandomRuntime: CustomStringConvertible {
    package let base: OtherRuntime?
    package private(set) var changes: [RuntimeChange] = []

    package var description: String { "\(base.map { "\($0)" } ?? "the toolchain's runtime") with \(changes)" }

    /// Changes of numbers, names, places and kinds of records, of which those are left out that this runtime's file does not have.
    package init(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        base = isOneOf(3) ? OtherRuntime.all.randomElement(using: &random) : nil
        let prefix = "_swift_concurrency_debug_"
        var wanted: [RuntimeChange] = []
        if isOneOf(2) { wanted.append(.variable("\(prefix)internal_layout_version", .random(in: 1...5, using: &random))) }
        if isOneOf(2) { wanted.append(.variable("\(prefix)asyncTaskSize", .random(in: 20...40, using: &random) * 8)) }
        if isOneOf(3), let name = Self.exported.randomElement(using: &random) { wanted.append(.without(name)) }
        if isOneOf(3), let name = Self.inner.randomElement(using: &random) {
            wanted.append(.renamed(name, to: String(name.dropLast(2)) + "Xx"))
        }
        if isOneOf(2) { wanted.append(.noBackPointer) }
        if isOneOf(2) { wanted.append(.childFragment(size: isOneOf(2) ? 32 : 64)) }
        if isOneOf(3) {
            let (kind, other): (UInt8, UInt8) = (.random(in: 1...4, using: &random), .random(in: 1...7, using: &random))
            // The runtime takes the value of a dependency of kind 1 for a task, whose lock it then waits for: the program would hang there.
            wanted.append(.dependencyKind(kind, as: other == 1 ? 8 : other))
        }
        if isOneOf(4) { wanted.append(.stripped) }
        for change in wanted where (try? RuntimeCopy(changes + [change], of: base)) != nil { changes.append(change) }
    }

    package func copy() throws -> RuntimeCopy { try RuntimeCopy(changes, of: base) }

    /// Symbols that the probe or the reader looks up.
    private static let exported = [
        "_swift_concurrency_debug_asyncTaskSize", "_swift_concurrency_debug_asyncTaskMetadata",
        "_swift_concurrency_debug_supportsPriorityEscalation", "_swift_concurrency_debug_internal_layout_version",
        "_swift_concurrency_debug_future_adapter", "_swift_concurrency_debug_non_future_adapter", "swift_task_getJobTaskId",
        "swift_task_getCurrentExecutor", "swift_task_isMainExecutor", "swift_task_getPreferredTaskExecutor", "swift_job_run",
        "swift_task_future_wait", "swift_task_future_wait_throwing", "_swift_tsan_acquire", "_swift_tsan_release", "_swift_tsan_enabled",
        "swift_task_isCancelled", "swift_task_pushTaskExecutorPreference",
    ]
    /// Parts of the names of functions that programs do not call.
    private static let inner = [
        "swift_task_cancelImpl", "_swift_taskGroup_cancel", "waitFuture", "addStatusRecord", "getPreferredTaskExecutor",
        "CheckedContinuationCanary", "swift_task_enqueueImpl", "swift_task_switchImpl",
    ]
}
