import TaskEvents

/// The tasks, actors and threads of another process or of a core file.
///
/// Hopscope reads them one after the other while the process runs. Each task shows one moment. Different tasks may show different moments,
/// so a reference between two holds only where both agree.
package struct Snapshot: Sendable {
    package let pid: Int32
    package let isCore: Bool
    package let modules: [RemoteProcess.Module]
    /// The program's tasks in the order of their numbers, without the runtime's own tasks.
    package let tasks: [RemoteTask]
    /// The runtime's own tasks. The runtime makes one for each task that sleeps.
    package let timers: [RemoteTask]
    package let actors: [RemoteActor]
    package let threads: [RemoteThread]
    package let counts: SnapshotCounts
    /// What the tasks prove of the layout of their runtime.
    package let layout: SnapshotLayout
    /// The names of executors other than actors, by address.
    package let executors: [UInt64: String]
    /// The places in code of all addresses in the snapshot.
    package let codeAddresses: [UInt64: CodeAddress]

    /// What holds the continuations that tasks wait for, by the tasks' addresses. Empty unless it was asked for.
    package let holders: [UInt64: ContinuationHolder]
    /// The descriptors to which the continuations of suspended tasks lead, by the tasks' addresses. Empty unless holders were asked for.
    package let descriptors: [UInt64: WaitedDescriptor]

    private let indices: [UInt64: Int]
    private let actorIndices: [UInt64: Int]
    private let runners: [UInt64: Int]
    let order: SnapshotOrder

    /// The task at an address.
    package func task(at address: UInt64) -> RemoteTask? {
        indices[address].map { tasks[$0] }
    }

    package func actor(at address: UInt64) -> RemoteActor? {
        actorIndices[address].map { actors[$0] }
    }

    /// The outermost ancestor of a task; the task itself if it is no child.
    package func root(of task: RemoteTask) -> RemoteTask {
        order.root(of: task.address).map { tasks[$0] } ?? task
    }

    /// The thread that runs a task.
    package func thread(running task: UInt64) -> RemoteThread? {
        runners[task].map { threads[$0] }
    }

    /// A snapshot of tasks that were not read from a process.
    init(
        pid: Int32, tasks: [RemoteTask], actors: [RemoteActor] = [], threads: [RemoteThread] = [], executors: [UInt64: String] = [:],
        codeAddresses: [UInt64: CodeAddress] = [:], holders: [UInt64: ContinuationHolder] = [:]
    ) {
        (self.holders, descriptors) = (holders, [:])
        (self.pid, isCore, modules, timers, counts, layout) = (pid, false, [], [], SnapshotCounts(), SnapshotLayout())
        (self.tasks, self.actors, self.threads, self.executors, self.codeAddresses) = (tasks, actors, threads, executors, codeAddresses)
        indices = Dictionary(zip(tasks.map(\.address), tasks.indices), uniquingKeysWith: { first, _ in first })
        actorIndices = Dictionary(zip(actors.map(\.address), actors.indices), uniquingKeysWith: { first, _ in first })
        runners = Self.runners(threads)
        order = SnapshotOrder(tasks, indices, actors)
    }

    private static func runners(_ threads: [RemoteThread]) -> [UInt64: Int] {
        Dictionary(
            threads.enumerated().compactMap { index, thread in thread.task.map { ($0, index) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads a process or a core file. Throws if it has no Swift runtime, if the layout of its runtime is unknown, or if the process's limit
    /// passes meanwhile.
    ///
    /// - Parameter findsHolders: Whether to search for what holds the continuations that tasks wait for. It reads the memory once more.
    package init(of process: RemoteProcess, findsHolders: Bool = false) throws(SnapshotProblem) {
        do throws(SnapshotProblem) {
            try self.init(reading: process, findsHolders: findsHolders)
        } catch {
            // A read that fails after the limit has no other reason.
            throw process.isLate ? SnapshotProblem(.tookTooLong, of: "Process \(process.pid)") : error
        }
        if process.isLate { throw SnapshotProblem(.tookTooLong, of: "Process \(process.pid)") }
    }

    private init(reading process: RemoteProcess, findsHolders: Bool) throws(SnapshotProblem) {
        let reader = RemoteReader(process)
        let runtime = try ConcurrencyRuntime(of: process, reader)
        let reading = TaskReading(runtime, reader)
        let types = TypeNames(reader, taskMetadata: runtime.taskMetadata)
        var pass = SnapshotPass(process, reading, types)
        pass.run()
        try Self.requireProof(pass.tasks, runtime, reading, process)
        let (found, layout) = Self.completed(pass.tasks, reading)
        let byNumber = found.indices.sorted { (found[$0].id, found[$0].address) < (found[$1].id, found[$1].address) }
        var (tasks, timers): ([RemoteTask], [RemoteTask]) = ([], [])
        tasks.reserveCapacity(byNumber.count)
        for index in byNumber {
            if Self.isTimer(found[index], runtime, process) { timers.append(found[index]) } else { tasks.append(found[index]) }
        }
        let indices = Dictionary(zip(tasks.map(\.address), tasks.indices), uniquingKeysWith: { first, _ in first })

        var actorReading = ActorReading(runtime: runtime, reader: reader, types: types, tasks: found.count)
        var actors = pass.actors.compactMap { actorReading.actor($0) }
        reader.forget()
        let actorIndices = Dictionary(zip(actors.map(\.address), actors.indices), uniquingKeysWith: { first, _ in first })
        let (threads, unreadThreads) = ThreadReading(
            process, reading, blocks: pass.threadBlocks,
            isRunning: { address in indices[address].map { tasks[$0].state == .running || tasks[$0].state == .changing } ?? false },
            isActor: { actorIndices[$0] != nil }
        ).threads()
        for thread in threads {
            guard let actor = thread.actor.flatMap({ actorIndices[$0] }), actors[actor].state == .running else { continue }
            actors[actor].running = thread.task
        }
        pid = process.pid
        isCore = process.isCore
        modules = process.modules
        self.tasks = tasks
        self.timers = timers
        self.actors = actors
        self.threads = threads
        counts = pass.counts.with(queueSteps: actorReading.steps, unreadThreads: unreadThreads)
        self.layout = layout
        executors = Self.executorNames(tasks, actorIndices, types)
        codeAddresses = Self.codeAddresses(tasks, threads, process)
        self.indices = indices
        self.actorIndices = actorIndices
        runners = Self.runners(threads)
        order = SnapshotOrder(tasks, indices, actors)
        let search = findsHolders ? HolderSearch(process, runtime, types, tasks: found, threadBlocks: pass.threadBlocks).findings() : nil
        holders = search?.holders ?? [:]
        descriptors = (search?.descriptors ?? [:]).merging(Self.descriptors(ofThreadsIn: holders, threads)) { found, _ in found }
    }

    /// The descriptors for which those threads wait that have a continuation on their stacks.
    private static func descriptors(
        ofThreadsIn holders: [UInt64: ContinuationHolder], _ threads: [RemoteThread]
    ) -> [UInt64: WaitedDescriptor] {
        holders.compactMapValues { holder in
            guard let owner = holder.path.last, owner.type == "thread" else { return nil }
            var descriptor = threads.first { owner.field == "\($0.id) \($0.name)" }?.descriptor
            descriptor?.isLikely = true
            return descriptor
        }
    }

    /// Throws if the tasks contradict the layout, and if no task proves it in a runtime of a version that is not listed. Of the tasks that
    /// do not run, few are in no queue and wait for nothing, so if all seem to be, their status is elsewhere.
    private static func requireProof(
        _ tasks: [RemoteTask], _ runtime: ConcurrencyRuntime, _ reading: TaskReading, _ process: RemoteProcess
    ) throws(SnapshotProblem) {
        let (proven, odd) = reading.dependencies
        let isRefuted = odd > max(proven, few) || proven == 0 && tasks.count { $0.state == .pending } > few
        guard isRefuted || !runtime.isListed && proven <= odd else { return }
        let subject = process.isCore ? "The program of the core file" : "Process \(process.pid)"
        throw SnapshotProblem(.unknownLayout, of: subject, detail: String(runtime.version))
    }

    private static let few = 2

    /// The tasks with their parents and groups, and what they prove of the layout.
    private static func completed(_ tasks: [RemoteTask], _ reading: TaskReading) -> ([RemoteTask], SnapshotLayout) {
        let proof = LayoutProof(tasks, reading)
        let runtime = reading.runtime
        let grown = (proof.size ?? runtime.taskSize) &- runtime.taskSize
        var tasks = tasks
        for index in tasks.indices where tasks[index].tail != nil || grown != 0 {
            proof.complete(&tasks[index])
            if tasks[index].ownsHeader, let memory = tasks[index].memory { tasks[index].memory = memory &+ grown }
        }
        let layout = SnapshotLayout(
            version: runtime.version, isListed: runtime.isListed, isAssumed: !runtime.hasSymbols,
            knowsParents: proof.fragments != nil || !tasks.contains { $0.isChild }, knowsGroups: proof.group != nil,
            unknownStatusBits: reading.statusBits & 0xffff_ffff & ~runtime.knownStatus)
        return (tasks, layout)
    }

    /// `Task.sleep` makes one of the runtime's own tasks. No executor has that task until its time has come.
    private static func isTimer(_ task: RemoteTask, _ runtime: ConcurrencyRuntime, _ process: RemoteProcess) -> Bool {
        guard task.state == .pending, task.kind == .unstructured, task.parent == 0, let body = task.frames.first,
            process.moduleIndex(at: body) == runtime.module
        else { return false }
        let isOwnLibrary = process.modules[runtime.module].name.contains("swift_Concurrency")
        return isOwnLibrary || process.functionName(at: body)?.contains("5sleep") == true
    }

    private static func executorNames(_ tasks: [RemoteTask], _ actors: [UInt64: Int], _ types: TypeNames) -> [UInt64: String] {
        var names: [UInt64: String] = [:]
        for task in tasks {
            guard case .executor(let identity, _) = task.wait, identity != 0, actors[identity] == nil, names[identity] == nil else {
                continue
            }
            names[identity] = types.name(ofObject: identity) ?? ""
        }
        return names
    }

    private static func codeAddresses(_ tasks: [RemoteTask], _ threads: [RemoteThread], _ process: RemoteProcess) -> [UInt64: CodeAddress] {
        var codeAddresses: [UInt64: CodeAddress] = [:]
        func add(_ addresses: [UInt64]) {
            for address in addresses where codeAddresses[address] == nil { codeAddresses[address] = process.codeAddress(of: address) }
        }
        var last: [UInt64] = []
        // Tasks that wait in the same place share one array, so most comparisons compare two addresses.
        for task in tasks where task.frames != last {
            add(task.frames)
            last = task.frames
        }
        for thread in threads {
            add(thread.code)
        }
        return codeAddresses
    }
}
