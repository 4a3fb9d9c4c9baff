import CRemoteProcess

/// Finds what holds the continuations of a process's tasks, and the jobs of tasks that executors of the program have to run, without
/// stopping the process. A job and a continuation have the task's address.
///
/// It copies the memory once, and searches the copy for the tasks' addresses, then for the blocks in which these were found, up to
/// something with a name. A copy that was made while no thread ran shows one moment. Only such a copy proves that nothing holds a
/// continuation.
struct HolderSearch {
    private let process: RemoteProcess
    private let runtime: ConcurrencyRuntime
    private let types: TypeNames
    private let tasks: [RemoteTask]
    private let threadBlocks: [UInt64]
    private let descriptors: DescriptorTable

    /// The copies of memory that are made at most to see one moment.
    private static let mostCopies = 3

    /// - Parameters:
    ///   - tasks: All tasks of the process.
    ///   - threadBlocks: The threads' control blocks, and memory that looks like one.
    init(_ process: RemoteProcess, _ runtime: ConcurrencyRuntime, _ types: TypeNames, tasks: [RemoteTask], threadBlocks: [UInt64]) {
        (self.process, self.runtime, self.types) = (process, runtime, types)
        (self.tasks, self.threadBlocks) = (tasks, threadBlocks)
        descriptors = DescriptorTable(of: process)
    }

    /// What holds the continuations and the jobs of all tasks that wait for one, by the tasks' addresses.
    func findings() -> HolderFindings {
        var open = Set(tasks.filter { $0.state == .suspended && $0.wait == .continuation || isJobOfProgram($0) }.map(\.address))
        var findings = HolderFindings()
        let copy = MemoryCopy()
        var copies = 0
        while !open.isEmpty, copies < Self.mostCopies {
            let found = look(for: open, in: copy, &copies)
            findings.holders.merge(found.findings.holders) { _, new in new }
            findings.descriptors.merge(found.findings.descriptors) { _, new in new }
            guard found.canImprove else { break }
            open = open.filter { findings.holders[$0]?.proof != .held }
        }
        return findings
    }

    /// Whether a task is queued on an executor that the program has written. Actors keep their jobs in themselves, and the runtime's
    /// executors leave theirs to Dispatch.
    private func isJobOfProgram(_ task: RemoteTask) -> Bool {
        guard task.state == .queued, case .executor(let identity, let implementation) = task.wait, identity != 0, implementation != 0,
            let first = types.reader.word(identity), types.actorKind(first) != .standard, let name = types.name(first)
        else { return false }
        return HolderPlaces.isOfProgram(name)
    }

    /// The holders as one copy of the memory shows them, and whether another copy may prove more.
    private func look(for open: Set<UInt64>, in copy: MemoryCopy, _ copies: inout Int) -> (findings: HolderFindings, canImprove: Bool) {
        var threads: HolderThreads, kernel: KernelReferences
        var isOneMoment = false
        repeat {
            copies += 1
            types.reader.forget()
            let before = ProcessorTimes(ofProcess: process.pid)
            process.renewRanges()
            guard copy.take(from: process) else {
                let holder = ContinuationHolder(.unknown, reason: "the process has too much memory to search")
                return (HolderFindings(holders: Dictionary(uniqueKeysWithValues: open.map { ($0, holder) })), false)
            }
            threads = HolderThreads(process, types.reader, blocks: threadBlocks)
            kernel = KernelReferences(of: process)
            isOneMoment = process.isCore || before.isKnown && before == ProcessorTimes(ofProcess: process.pid) && !threads.isAnyRunning
            // The second copy takes so little time that it is not worth while to search the first one.
        } while !isOneMoment && copies == 1
        let image = MemoryImage(copy, of: process)
        let places = HolderPlaces(
            process: process, reader: types.reader, runtime: runtime, types: types, image: image, threads: threads,
            regions: TaskRegions(of: tasks, runtime, image))
        let climb = HolderClimb(tasks, open, places, kernel, Self.doubt(process, image, threads, kernel, isOneMoment), descriptors)
        let findings = climb.findings()
        // A copy at one moment shows everything that there is to see.
        return (findings, !isOneMoment && findings.holders.contains { $0.value.proof != .held })
    }

    /// The reason why memory without a reference to a continuation proves nothing. Nil if it does.
    private static func doubt(
        _ process: RemoteProcess, _ image: MemoryImage, _ threads: HolderThreads, _ kernel: KernelReferences, _ isOneMoment: Bool
    ) -> String? {
        if process.hasHiddenMemory {
            return process.isCore ? "the core file lacks memory" : "the process shares memory with a device or with the kernel"
        }
        if !isOneMoment { return "the program ran while its memory was read" }
        if !image.hasWholeHeap { return "the program's allocator is not known" }
        if threads.hasUnknownRegisters { return "a thread waits in the program's code, and its registers are not known" }
        return kernel.isWhole ? nil : "a core file lacks what the kernel keeps for the program"
    }
}
