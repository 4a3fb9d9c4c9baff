/// The Swift concurrency runtime of a process: the words that mark a task in memory, and the layout of tasks.
struct ConcurrencyRuntime {
    let layout: TaskLayout
    /// The first word of each task.
    let taskMetadata: UInt64
    let taskSize: UInt64
    /// The resume functions of tasks that have not begun.
    let unbegun: [UInt64]
    /// The runtime's own resume functions of tasks that wait for another task.
    let waiting: [UInt64]
    /// The index of the module that contains the runtime.
    let module: Int
    /// True if the module has the runtime's symbols. Without them, the reader assumes the version of the layout.
    let hasSymbols: Bool

    private static let names =
        ["asyncTaskMetadata", "internal_layout_version", "asyncTaskSize"].map { "_swift_concurrency_debug_\($0)" } + adapters
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
        layout: TaskLayout, taskMetadata: UInt64, taskSize: UInt64, adapters: [UInt64], module: Int, hasSymbols: Bool
    ) {
        self.layout = layout
        self.taskMetadata = taskMetadata
        self.taskSize = taskSize
        unbegun = adapters.prefix(2).filter { $0 != 0 }
        waiting = adapters.dropFirst(2).filter { $0 != 0 }
        self.module = module
        self.hasSymbols = hasSymbols
    }

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
        guard let layout = TaskLayout.of(version: version), let size = reader.word(found[2]), size >= layout.headerSize, size <= 4096 else {
            throw SnapshotProblem(.unknownLayout, of: subject, detail: String(version & 0xff_ffff))
        }
        return ConcurrencyRuntime(
            layout: layout, taskMetadata: metadata, taskSize: size, adapters: found[3...].map { $0 == 0 ? 0 : reader.word($0) ?? 0 },
            module: module, hasSymbols: true)
    }

    /// Finds the runtime in a program without symbols. The metadata of jobs and of tasks are close to each other in a data segment. So are
    /// the pointers to them and to the resume functions, which the runtime provides for debuggers.
    private static func byShape(in process: RemoteProcess, _ reader: RemoteReader) -> ConcurrencyRuntime? {
        guard let layout = TaskLayout.known.last else { return nil }
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
                        layout: layout, taskMetadata: addresses[1], taskSize: layout.assumedSize,
                        adapters: Array(words[(pointers + 1)...].prefix(4)), module: module, hasSymbols: false)
                }
            }
        }
        return nil
    }
}
