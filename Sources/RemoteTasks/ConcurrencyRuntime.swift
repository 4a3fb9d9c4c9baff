/// The Swift concurrency runtime of a process: the words that mark a task in memory, and the layout of tasks.
struct ConcurrencyRuntime {
    let layout: TaskLayout
    /// The layout version that the runtime states.
    let version: UInt32
    /// The first word of each task.
    let taskMetadata: UInt64
    /// The size of a task as the runtime states it, or as it is assumed. ``LayoutProof`` finds the true one.
    let taskSize: UInt64
    /// The resume functions of tasks that have not begun.
    let unbegun: [UInt64]
    /// The runtime's own resume functions of tasks that wait for another task.
    let waiting: [UInt64]
    /// The index of the module that contains the runtime.
    let module: Int
    /// True if the module has the runtime's symbols. Without them, the reader assumes the version of the layout.
    let hasSymbols: Bool
    /// Whether the runtime has cancellation shields, as Swift 6.4's. It exports the function that begins one.
    let hasShields: Bool

    private static let names =
        ["asyncTaskMetadata", "internal_layout_version", "asyncTaskSize", "supportsPriorityEscalation"]
        .map { "_swift_concurrency_debug_\($0)" } + ["swift_task_cancellationShieldPush"] + adapters
    private static let adapters = [
        "non_future_adapter", "future_adapter", "task_wait_throwing_resume_adapter", "task_future_wait_resume_adapter",
    ].map { "_swift_concurrency_debug_\($0)" }

    init(of process: RemoteProcess, _ reader: RemoteReader) throws(SnapshotProblem) {
        let subject = process.isCore ? "The program of the core file" : "Process \(process.pid)"
        let libraries = process.modules.indices.filter { process.modules[$0].name.contains("swift_Concurrency") }
        // A program that contains the runtime is read as a whole, so the runtime's own library, which is small, is tried first.
        // A module that only looks like the runtime does not end the search.
        var problem: SnapshotProblem?
        for module in libraries + process.modules.indices.filter({ !libraries.contains($0) && Self.mayHoldRuntime(process.modules[$0]) }) {
            do throws(SnapshotProblem) {
                guard let runtime = try Self.withSymbols(in: module, of: process, reader, subject) else { continue }
                self = runtime
                return
            } catch {
                problem = problem ?? error
            }
        }
        guard problem == nil, let runtime = Self.byShape(in: process, reader) else {
            throw problem ?? SnapshotProblem(.notSwift, of: subject)
        }
        self = runtime
    }

    private init(
        version: UInt32, taskMetadata: UInt64, taskSize: UInt64, adapters: [UInt64], module: Int, hasSymbols: Bool, hasShields: Bool
    ) {
        layout = .listed
        self.version = TaskLayout.number(ofVersion: version)
        self.taskMetadata = taskMetadata
        self.taskSize = taskSize
        unbegun = adapters.prefix(2).filter { $0 != 0 }
        waiting = adapters.dropFirst(2).filter { $0 != 0 }
        self.module = module
        self.hasSymbols = hasSymbols
        self.hasShields = hasShields
    }

    /// The bits of a task's status whose meaning is known.
    var knownStatus: UInt64 { hasShields ? layout.knownStatus | layout.isShielded : layout.knownStatus }

    /// Whether the tests of Hopscope have run on a runtime of this version. Another one is read if its tasks prove its layout.
    var isListed: Bool { version == layout.version }

    /// The other libraries of Swift and of the system do not contain the runtime.
    private static func mayHoldRuntime(_ module: RemoteProcess.Module) -> Bool {
        !module.name.hasPrefix("lib") && !module.name.hasPrefix("ld-") && !module.name.hasPrefix("[")
    }

    private static func withSymbols(
        in module: Int, of process: RemoteProcess, _ reader: RemoteReader, _ subject: String
    ) throws(SnapshotProblem) -> ConcurrencyRuntime? {
        let found = process.symbols(names, inModule: module)
        guard found[0] != 0, let metadata = reader.word(found[0]) else { return nil }
        // The loader maps the library before it fills in the library's pointers.
        guard metadata != 0 else { throw SnapshotProblem(.notSwift, of: subject) }
        guard found[1] != 0 else { throw SnapshotProblem(.unstatedLayout, of: subject) }
        guard let version = reader.half(found[1]) else { return nil }
        // With priority escalation a task's status has another layout.
        if found[3] != 0, let escalates = reader.half(found[3]), escalates & 0xff != 0 {
            throw SnapshotProblem(.escalatesPriority, of: subject)
        }
        let stated = found[2] == 0 ? nil : reader.word(found[2]).flatMap { sizes.contains($0) ? $0 : nil }
        return ConcurrencyRuntime(
            version: version, taskMetadata: metadata, taskSize: stated ?? TaskLayout.listed.assumedSize,
            adapters: found[5...].map { $0 == 0 ? 0 : reader.word($0) ?? 0 }, module: module, hasSymbols: true, hasShields: found[4] != 0)
    }

    /// The sizes that a task can have.
    private static let sizes = UInt64(TaskLayout.listed.headerSize)...4096

    /// Finds the runtime in a program without symbols. The metadata of jobs and of tasks are close to each other in a data segment. So are
    /// the pointers to them and to the resume functions, which the runtime provides for debuggers.
    private static func byShape(in process: RemoteProcess, _ reader: RemoteReader) -> ConcurrencyRuntime? {
        let layout = TaskLayout.listed
        for module in process.modules.indices where mayHoldRuntime(process.modules[module]) {
            for segment in process.dataSegments(ofModule: module) where segment.count < 1 << 28 {
                guard let words = reader.words(segment.lowerBound, count: segment.count / 8) else { continue }
                var job: Int?
                for (index, word) in words.enumerated() {
                    if word == layout.jobMetadataKind { job = index }
                    guard word == layout.taskMetadataKind, let job, index - job <= 32 else { continue }
                    let addresses = [job, index].map { segment.lowerBound + UInt64($0 * 8) }
                    guard
                        let pointers = words.indices.dropFirst().first(where: { words[$0 - 1] == addresses[0] && words[$0] == addresses[1] }
                        )
                    else { continue }
                    return ConcurrencyRuntime(
                        version: layout.version, taskMetadata: addresses[1], taskSize: layout.assumedSize,
                        adapters: Array(words[(pointers + 1)...].prefix(4)), module: module, hasSymbols: false,
                        hasShields: false)
                }
            }
        }
        return nil
    }
}
