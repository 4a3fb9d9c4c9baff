import CRemoteProcess

/// Finds what holds the continuations of a process's tasks, without stopping the process.
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

    /// What holds the continuations of all tasks that wait for one, by the tasks' addresses.
    func findings() -> HolderFindings {
        var open = Set(tasks.filter { $0.state == .suspended && $0.wait == .continuation }.map(\.address))
        var findings = HolderFindings()
        var copies = 0
        while !open.isEmpty, copies < Self.mostCopies {
            copies += 1
            let found = look(for: open)
            findings.holders.merge(found.findings.holders) { _, new in new }
            findings.descriptors.merge(found.findings.descriptors) { _, new in new }
            guard found.canImprove else { break }
            open = open.filter { findings.holders[$0]?.proof != .held }
        }
        return findings
    }

    /// The holders as one copy of the memory shows them, and whether another copy may prove more.
    private func look(for open: Set<UInt64>) -> (findings: HolderFindings, canImprove: Bool) {
        types.reader.forget()
        let before = ProcessorTimes(ofProcess: process.pid)
        process.renewRanges()
        guard let image = MemoryImage(of: process) else {
            let holder = ContinuationHolder(.unknown, reason: "the process has too much memory to search")
            return (HolderFindings(holders: Dictionary(uniqueKeysWithValues: open.map { ($0, holder) })), false)
        }
        let threads = HolderThreads(process, types.reader, blocks: threadBlocks)
        let kernel = KernelReferences(of: process)
        let after = ProcessorTimes(ofProcess: process.pid)
        let isOneMoment = process.isCore || before.isKnown && before == after && !threads.isAnyRunning
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

/// What holds the continuations of tasks, by the tasks' addresses.
struct HolderFindings {
    var holders: [UInt64: ContinuationHolder] = [:]
    /// The descriptors to which the holders lead.
    var descriptors: [UInt64: WaitedDescriptor] = [:]
}

/// Climbs in one copy of a process's memory from tasks to the owners of their continuations.
private final class HolderClimb {
    private typealias Step = ContinuationHolder.Step

    /// A way from a continuation to a block or to an end, with the words on it: each is at `place` and refers to `target`.
    private struct Way {
        var steps: [Step] = []
        var words: [MemoryImage.Reference] = []
        /// Whether the way goes on behind an owner, to a descriptor that the kernel watches for it.
        var isBehindOwner = false
        /// Whether a word on the way may be an old one.
        var mayBeOld = false

        func adding(_ step: Step?, _ found: Found) -> Way {
            Way(
                steps: steps + (step.map { [$0] } ?? []), words: words + [found.word], isBehindOwner: isBehindOwner,
                mayBeOld: mayBeOld || found.mayBeOld)
        }
    }

    /// What the known ways from a task show.
    private struct Walked {
        var best: End?
        /// The blocks that were not searched for yet.
        var frontier: Set<UInt64> = []
        /// The descriptors that the kernel watches for blocks on the ways.
        var watched: Set<Int32> = []

        /// Whether further blocks can tell more, after so many searches.
        func isOpen(_ level: Int) -> Bool {
            guard !frontier.isEmpty, let rank = best?.rank else { return !frontier.isEmpty }
            return rank > Rank.global + Rank.old || rank > Rank.global && level < HolderClimb.mostLevelsOfOld
        }
    }

    /// An end of a way. A lower rank is a better answer.
    private struct End {
        let rank: Int
        let way: Way
    }

    private enum Rank {
        static let owner = 0, global = 1, kernel = 4, stack = 5, frames = 6, system = 7, unknown = 8
        /// This is added to the rank of an owner or a global variable if a word on the way may be an old one.
        static let old = 2
    }

    private struct Found {
        let word: MemoryImage.Reference
        let place: HolderPlaces.Place
        let mayBeOld: Bool
    }

    private let tasks: [UInt64: RemoteTask]
    private let open: [UInt64]
    private let places: HolderPlaces
    private let kernel: KernelReferences
    private let doubt: String?
    private let descriptors: DescriptorTable
    /// Whether the kernel watches descriptors for blocks of the process.
    private let hasWatched: Bool
    /// Whether an epoll watches descriptors by their numbers, as SwiftNIO has it, and not for blocks.
    private let watchesByNumber: Bool
    private lazy var channels = ChannelReach(places, descriptors)
    /// The places that refer to a task or a block, once it has been searched for.
    private var found: [UInt64: [Found]] = [:]

    private static let mostLevels = 10
    /// The levels up to which a better answer is searched for than an owner to which perhaps only an old word leads.
    private static let mostLevelsOfOld = 4
    /// The levels up to which a descriptor is searched for, if the owner is known.
    private static let mostLevelsOfDescriptor = 7
    /// A block with more references is not climbed from.
    private static let mostReferences = 512
    private static let mostBlocks = 4096
    /// The objects on the way from a continuation that may belong to a channel.
    private static let mostOwners = 5
    /// The size of a task group's record in its parent's memory.
    private static let groupSize: UInt64 = 256
    private static let unmarked: UInt64 = 0x00ff_ffff_ffff_fff8

    init(
        _ tasks: [RemoteTask], _ open: Set<UInt64>, _ places: HolderPlaces, _ kernel: KernelReferences, _ doubt: String?,
        _ descriptors: DescriptorTable
    ) {
        self.tasks = Dictionary(tasks.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        self.open = open.sorted()
        (self.places, self.kernel, self.doubt, self.descriptors) = (places, kernel, doubt, descriptors)
        hasWatched = kernel.watched.keys.contains { places.image.block(at: $0) != nil }
        watchesByNumber = kernel.watched.contains { $0.key != 0 && places.image.block(at: $0.key) == nil && descriptors.isSocket($0.value) }
    }

    func findings() -> HolderFindings {
        var pending = Set(open)
        var walks: [UInt64: Walked] = [:]
        var level = 0
        while !pending.isEmpty, level < Self.mostLevels, !places.process.isLate {
            search(for: pending)
            pending = []
            level += 1
            for task in open where walks[task].map({ isOpen($0, level) }) ?? true {
                let walked = walk(from: task)
                walks[task] = walked
                if isOpen(walked, level) { pending.formUnion(walked.frontier) }
            }
        }
        let direct = inexactReferences()
        var findings = HolderFindings()
        for task in open {
            let walked = walks[task] ?? Walked()
            let holder = holder(of: task, walked.best, hasInexact: direct.contains(task))
            findings.holders[task] = holder
            if holder.proof == .held { findings.descriptors[task] = descriptor(walked) }
        }
        return findings
    }

    /// Whether further blocks can tell more of a task: its owner, or the descriptor for which the kernel keeps its owner.
    private func isOpen(_ walked: Walked, _ level: Int) -> Bool {
        walked.isOpen(level) || hasWatched && walked.watched.isEmpty && !walked.frontier.isEmpty && level < Self.mostLevelsOfDescriptor
    }

    /// The descriptor that the continuation leads to: the one that the kernel watches for a block on the way, or that of an object on the way.
    private func descriptor(_ walked: Walked) -> WaitedDescriptor? {
        var numbers = walked.watched
        let words = walked.best?.way.words ?? []
        if numbers.isEmpty {
            let fields = DescriptorFields(places, descriptors)
            for word in words { numbers.formUnion(fields.numbers(around: word.place)) }
        }
        if numbers.isEmpty, watchesByNumber {
            let owners = words.prefix(Self.mostOwners).compactMap { places.image.block(at: $0.place)?.address }
            numbers = channels.number(onWay: owners).map { [$0] } ?? []
        }
        guard let number = numbers.first, numbers.count == 1 else { return nil }
        var found = descriptors.descriptor(number, .unknown)
        found?.isLikely = true
        if found?.state == .listening { found?.purpose = .accepts }
        return found
    }

    private func search(for addresses: Set<UInt64>) {
        for address in addresses { found[address] = [] }
        for word in places.image.references(to: addresses) where found[word.target, default: []].count <= Self.mostReferences {
            let place = places.place(word.place, toTask: tasks[word.target] != nil)
            if case .stale = place { continue }
            found[word.target, default: []].append(Found(word: word, place: place, mayBeOld: places.mayBeOld(word.place)))
        }
    }

    /// The references to a task that may be its continuation. If the task waits for a checked continuation, they are those of that object:
    /// the others are `Task`s.
    private func direct(_ task: UInt64) -> [Found] {
        let all = (found[task] ?? []).filter { found in
            guard case .frames(let other) = found.place else { return true }
            guard let task = tasks[task], other != task.address else { return false }
            let isGroup = task.group != 0 && found.word.place >= task.group && found.word.place - task.group < Self.groupSize
            return !isGroup
        }
        let checked = all.filter { if case .link(nil, let block) = $0.place { places.isCheckedContinuation(block) } else { false } }
        return checked.isEmpty ? all : checked
    }

    /// Walks all known ways from a task.
    private func walk(from task: UInt64) -> Walked {
        var visited: Set<UInt64> = []
        var walked = Walked()
        var queue: [(found: [Found], way: Way)] = [(direct(task), Way())]
        // The blocks on ways with old words come last, because another way may lead to them.
        var later: [(block: UInt64, way: Way)] = []
        func end(_ rank: Int, _ way: Way) {
            guard !way.isBehindOwner else { return }
            // The first word on the way may be an old one, if it is in memory without a type.
            let isDoubtful = rank > Rank.kernel && way.steps.first?.type == "memory"
            let rank = isDoubtful ? Rank.unknown : way.mayBeOld && rank <= Rank.global ? rank + Rank.old : rank
            if rank < walked.best?.rank ?? Int.max { walked.best = End(rank: rank, way: way) }
        }
        func follow(_ block: UInt64, _ way: Way, isLast: Bool = false) {
            if way.mayBeOld, !isLast { return later.append((block, way)) }
            guard visited.insert(block).inserted else { return }
            if let number = kernel.watched[block] { walked.watched.insert(number) }
            if let keeper = kernel.keepers[block] {
                end(Rank.kernel, Way(steps: way.steps + [Step(type: "kernel", field: keeper)], words: way.words))
            }
            if let known = self.found[block] { queue.append((known, way)) } else { walked.frontier.insert(block) }
        }
        var next = 0
        var nextLater = 0
        while visited.count < Self.mostBlocks {
            guard next < queue.count else {
                guard nextLater < later.count else { break }
                follow(later[nextLater].block, later[nextLater].way, isLast: true)
                nextLater += 1
                continue
            }
            let (all, way) = queue[next]
            next += 1
            for found in all {
                switch found.place {
                case .stale: break
                case .owner(let step):
                    guard !way.isBehindOwner else { break }
                    var way = way.adding(step, found)
                    end(Rank.owner, way)
                    way.isBehindOwner = true
                    if hasWatched, let block = places.image.block(at: found.word.place) { follow(block.address, way) }
                case .global(let step, let isSystem): end(isSystem ? Rank.system : Rank.global, way.adding(step, found))
                case .stack(let step): end(Rank.stack, way.adding(step, found))
                case .unknown(let step): end(Rank.unknown, way.adding(step, found))
                case .frames(let other):
                    // The task's own memory resumes nothing.
                    guard other != task else { break }
                    let name = tasks[other].map { "#\($0.id) \($0.name)" } ?? ""
                    let isLink = tasks[found.word.target] != nil
                    end(isLink ? Rank.unknown : Rank.frames, way.adding(Step(type: "task", field: name), found))
                case .link(let step, let block):
                    follow(block, way.adding(step, found))
                }
            }
        }
        if walked.best == nil, let keeper = kernel.keepers[task] {
            end(Rank.kernel, Way(steps: [Step(type: "kernel", field: keeper)], words: []))
        }
        return walked
    }

    /// The tasks to which a word refers that is not aligned as Swift and C align words, of those to which no other word does.
    private func inexactReferences() -> Set<UInt64> {
        let unheld = open.filter { direct($0).isEmpty }
        let words = places.image.references(into: unheld.map { $0..<$0 + 16 }).filter { $0.place & 7 != 0 }
        return Set(
            words.filter { word in
                switch places.place(word.place & ~7, toTask: true) {
                case .stale: false
                case .frames(let task): task != word.target
                case _: true
                }
            }.map(\.target))
    }

    private func holder(of task: UInt64, _ end: End?, hasInexact: Bool) -> ContinuationHolder {
        guard stillWaits(task) else { return ContinuationHolder(.unknown, reason: "the task changed while it was read") }
        guard let end else {
            if !direct(task).isEmpty { return ContinuationHolder(.unknown, reason: "memory that nothing refers to holds it") }
            if hasInexact { return ContinuationHolder(.unknown, reason: "odd memory may refer to it") }
            if registers(hold: task) { return ContinuationHolder(.unknown, reason: "a register may refer to it") }
            return doubt.map { ContinuationHolder(.unknown, reason: $0) } ?? ContinuationHolder(.lost)
        }
        guard end.rank < Rank.unknown else {
            return ContinuationHolder(.unknown, reason: "\(end.way.steps.last?.words ?? "memory") may hold it")
        }
        guard end.way.words.allSatisfy(isStillThere) else {
            return ContinuationHolder(.unknown, reason: "its holder changed while it was read")
        }
        return ContinuationHolder(.held, path: end.way.steps.filter { $0.type != "memory" || end.way.steps.count == 1 })
    }

    private func registers(hold task: UInt64) -> Bool {
        places.threads.threads.contains { $0.registers.contains { $0 & Self.unmarked == task } }
    }

    /// Whether the copy shows the task as the snapshot did.
    private func stillWaits(_ task: UInt64) -> Bool {
        let layout = places.runtime.layout
        guard let known = tasks[task], let status = places.image.word(task + UInt64(layout.status)) else { return false }
        let id = places.image.word(task + UInt64(layout.jobFlags)).map { $0 >> 32 }
        return id == known.id & 0xffff_ffff && status & (layout.isRunning | layout.isEnqueued | layout.isComplete) == 0
            && status & layout.hasDependency != 0
    }

    private func isStillThere(_ word: MemoryImage.Reference) -> Bool {
        places.process.isCore || (places.reader.word(word.place) ?? 0) & Self.unmarked == word.target
    }
}
