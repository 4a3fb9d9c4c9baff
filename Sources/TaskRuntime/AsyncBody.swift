import TaskEvents

/// An asynchronous body that is running: it moves from thread to thread, so it is known by the Swift task instead of the thread.
final class AsyncBody: Sendable {
    @TaskLocal static var current: AsyncBody?

    let task: TaskID
    private let noted = Guarded(ErrorReads(nil))

    init(task: TaskID) {
        self.task = task
    }

    var reads: [ErrorRead] { noted.withLock { $0.all } }

    /// Whether the body had not read that task's error before.
    func note(_ read: ErrorRead) -> Bool {
        noted.withLock { $0.note(read) }
    }
}
