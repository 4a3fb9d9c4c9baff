import CRemoteProcess

/// Climbs in one copy of a process's memory from tasks to the owners of their continuations and jobs.
final class HolderClimb {
    private typealias Step = ContinuationHolder.Step

    /// A way from a continuation to a block or to an end, with the words on it: each is at `place` and refers to `target`.
    private struct Way {
        var steps: [Step] = []
        var words: [MemoryImage.Reference] = []
        /// Whether the way goes on behind an owner, to a descriptor that the kernel watches for it.
        var isBehindOwner = false
        /// Whether a word on the way may be an old one.
        var mayBeOld = false
        /// The most doubt of a word on the way. A way with less doubt is better.
        var doubt = 0

        func adding(_ step: Step?, _ found: Found) -> Way {
            Way(
                steps: steps + (step.map { [$0] } ?? []), words: words + [found.word], isBehindOwner: isBehindOwner,
                mayBeOld: mayBeOld || found.mayBeOld, doubt: max(doubt, found.doubt))
        }
    }

    /// What the known ways from a task show.
    private struct Walked {
        var best: End?
        /// The blocks that were not searched for yet.
        var frontier: Set<UInt64> = []
        /// The descriptors that the kernel watches for blocks on the ways.
        var watched: Set<Int32> = []
        /// All blocks on the ways.
        var blocks: Set<UInt64> = []
        /// The storage of the stream that the task reads. 0 if it reads none.
        var stream: UInt64 = 0
        /// The tasks that read the stream.
        var readers: Set<UInt64> = []
        /// Whether so many words refer to a block that not all were followed.
        var isCut = false

        /// Whether nothing but the blocks on the ways and the task itself refers to these blocks.
        var isClosed: Bool { best == nil && frontier.isEmpty && !isCut }

        /// Whether further blocks can tell more, after so many searches.
        func isOpen(_ level: Int) -> Bool {
            guard !frontier.isEmpty, let best else { return !frontier.isEmpty }
            let mayImprove = best.rank > Rank.global || best.way.doubt > 0
            return best.rank > Rank.global + Rank.old || mayImprove && level < HolderClimb.mostLevelsOfOld
        }
    }

    /// An end of a way. A lower rank is a better answer.
    private struct End {
        let rank: Int
        let way: Way
    }

    private enum Rank {
        static let owner = 0, global = 1, kernel = 4, stack = 5, frames = 6, waiter = 7, system = 8, unknown = 9
        /// This is added to the rank of an owner or a global variable if a word on the way may be an old one.
        static let old = 2
    }

    private struct Found {
        let word: MemoryImage.Reference
        let place: HolderPlaces.Place
        let mayBeOld: Bool
        let doubt: Int
    }

    private let tasks: [UInt64: RemoteTask]
    private let open: [UInt64]
    private let places: HolderPlaces
    private let kernel: KernelReferences
    private let doubt: String?
    private let wayDescriptors: WayDescriptors
    /// Whether the kernel watches descriptors for blocks of the process.
    private let hasWatched: Bool
    /// The tasks that wait in a block: an array of continuations, or an object with one.
    private var waiting: [UInt64: Set<UInt64>] = [:]
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
    /// The size of a task group's record in its parent's memory.
    private static let groupSize: UInt64 = 256
    private static let unmarked: UInt64 = 0x00ff_ffff_ffff_fff8

    init(
        _ tasks: [RemoteTask], _ open: Set<UInt64>, _ places: HolderPlaces, _ kernel: KernelReferences, _ doubt: String?,
        _ descriptors: DescriptorTable
    ) {
        self.tasks = Dictionary(tasks.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        self.open = open.sorted()
        (self.places, self.kernel, self.doubt) = (places, kernel, doubt)
        wayDescriptors = WayDescriptors(places, kernel, descriptors)
        hasWatched = kernel.watched.keys.contains { places.image.block(at: $0) != nil }
    }

    func findings() -> HolderFindings {
        var pending = Set(open)
        var walks: [UInt64: Walked] = [:]
        var level = 0
        while !pending.isEmpty, level < Self.mostLevels, !places.process.isLate {
            search(for: pending)
            if level == 0 { noteWaiting() }
            pending = []
            level += 1
            for task in open where walks[task].map({ isOpen($0, level) }) ?? true {
                let walked = walk(from: task)
                walks[task] = walked
                if isOpen(walked, level) { pending.formUnion(walked.frontier) }
            }
        }
        let direct = inexactReferences()
        let streams = walks.filter { $1.stream != 0 && $1.isClosed && !hasOtherOwners($1) }.mapValues(\.blocks)
        let inside = referencesInside(streams)
        var findings = HolderFindings()
        for task in open {
            let walked = walks[task] ?? Walked()
            let isSealed = streams[task] != nil && !inside.contains(task)
            let holder = holder(of: task, walked, hasInexact: direct.contains(task), isSealed: isSealed)
            findings.holders[task] = holder
            if holder.proof == .held { findings.descriptors[task] = descriptor(of: task, walked) }
        }
        return findings
    }

    /// Whether further blocks can tell more of a task: its owner, or the descriptor for which the kernel keeps its owner.
    private func isOpen(_ walked: Walked, _ level: Int) -> Bool {
        walked.isOpen(level) || hasWatched && walked.watched.isEmpty && !walked.frontier.isEmpty && level < Self.mostLevelsOfDescriptor
    }

    private func descriptor(of task: UInt64, _ walked: Walked) -> WaitedDescriptor? {
        let words = walked.best?.way.words ?? []
        // The words that refer to the continuation itself may all be old ones but for one.
        let first = direct(task).flatMap { found in
            if case .link(nil, let block) = found.place, places.isCheckedContinuation(block) { return self.found[block] ?? [] }
            return [found]
        }
        let rivals = words.dropFirst().flatMap { self.found[$0.target] ?? [] }
        return wayDescriptors.descriptor(watched: walked.watched, words, keepers: blocks(of: first), rivals: blocks(of: rivals))
    }

    /// The blocks with these words, but for those that may be old ones, unless there are no others.
    private func blocks(of words: [Found]) -> Set<UInt64> {
        let certain = words.filter { !$0.mayBeOld }
        return Set(
            (certain.isEmpty ? words : certain).compactMap { found in
                switch found.place {
                case .link(_, let block): block
                case .owner: places.image.block(at: found.word.place)?.address
                case .global, .stack, .frames, .unknown, .stale: nil
                }
            })
    }

    private func search(for addresses: Set<UInt64>) {
        for address in addresses { found[address] = [] }
        for word in places.image.references(to: addresses) where found[word.target, default: []].count <= Self.mostReferences {
            let place = places.place(word.place, toTask: tasks[word.target] != nil)
            if case .stale = place { continue }
            let mayBeOld = places.mayBeOld(word.place)
            found[word.target, default: []].append(
                Found(word: word, place: place, mayBeOld: mayBeOld, doubt: places.doubt(word.place)))
        }
    }

    private func noteWaiting() {
        for task in open {
            for found in direct(task) {
                if case .link(_, let block) = found.place { waiting[block, default: []].insert(task) }
            }
        }
    }

    private func isJob(_ task: UInt64) -> Bool { tasks[task]?.state == .queued }

    /// Whether a task waits for another one's end. What it has in its frames of the other one is a `Task`, a child or a group.
    private func awaits(_ task: UInt64, _ other: UInt64) -> Bool {
        switch tasks[task]?.wait {
        case .task(let address): address == other
        case .group(let group): tasks[other].map { $0.group != 0 && $0.group == group } ?? false
        case .continuation, .executor, nil: false
        }
    }

    /// The references to a task that may be its continuation. If the task waits for a checked continuation, they are those of that object:
    /// the others are `Task`s.
    private func direct(_ task: UInt64) -> [Found] {
        let all = (found[task] ?? []).filter { found in
            guard case .frames(let other) = found.place else { return true }
            guard let task = tasks[task], other != task.address, !awaits(other, task.address) else { return false }
            let isGroup = task.group != 0 && found.word.place >= task.group && found.word.place - task.group < Self.groupSize
            return !isGroup
        }
        let checked = all.filter { if case .link(nil, let block) = $0.place { places.isCheckedContinuation(block) } else { false } }
        return checked.isEmpty ? all : checked
    }

    /// How often a task that reads a stream retains the stream's storage, in its own frames.
    private static let retainsOfReader = 2

    /// Whether a stream's storage is retained more often than by the words that were found outside of frames, and by its readers' frames.
    private func hasOtherOwners(_ walked: Walked) -> Bool {
        isRetained(walked.stream, moreOftenThan: Self.retainsOfReader * walked.readers.count)
    }

    /// Whether an object is retained more often than by the words that were found outside of frames, and `others` times. Only then is a word
    /// in a frame certainly in use: a frame keeps old words, and a new object may have the memory of an old one. False if the count is in
    /// another place, and for memory of C, which has none.
    private func isRetained(_ object: UInt64, moreOftenThan others: Int) -> Bool {
        guard let metadata = places.image.word(object), places.types.name(metadata) != nil || places.isClosure(metadata),
            let counts = places.image.word(object + 8), counts >> 63 == 0
        else { return false }
        let owners = (found[object] ?? []).count { found in
            switch found.place {
            case .owner, .global: true
            case .link(let step, _): step?.type != "memory"
            case .frames, .stack, .unknown, .stale: false
            }
        }
        return Int(counts >> 33 & 0x3fff_ffff) + 1 > owners + others
    }

    /// Whether a way is that from a task to the continuations of a stream's readers: the continuation itself, or an array with it.
    private func isOfReader(_ way: Way) -> Bool {
        !way.isBehindOwner && (way.words.count == 1 || way.words.count == 2 && way.steps.first?.type == "Array")
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
            let isVague = way.steps.first?.type == "memory" && (rank > Rank.kernel || way.mayBeOld)
            let rank = isVague ? Rank.unknown : way.mayBeOld && rank <= Rank.global ? rank + Rank.old : rank
            let isBetter = walked.best.map { rank < $0.rank || rank == $0.rank && way.doubt < $0.way.doubt } ?? true
            if isBetter { walked.best = End(rank: rank, way: way) }
        }
        walked.readers = [task]
        /// Whether a word in a frame or on a stack may be an old one. That a task waits tells nothing of who refers to it.
        func isOld(_ target: UInt64) -> Bool {
            if target == walked.stream { return !hasOtherOwners(walked) }
            return tasks[target] != nil || !isRetained(target, moreOftenThan: 0)
        }
        func follow(_ block: UInt64, _ way: Way, isLast: Bool = false) {
            if way.mayBeOld, !isLast { return later.append((block, way)) }
            guard visited.insert(block).inserted else { return }
            if isOfReader(way), let stream = way.words.last.flatMap({ places.stream(with: $0.place) }) {
                walked.stream = stream
                for word in way.words { walked.readers.formUnion(places.image.block(at: word.place).flatMap { waiting[$0.address] } ?? []) }
            }
            if let number = kernel.watched[block] { walked.watched.insert(number) }
            if let keeper = kernel.keepers[block] {
                end(Rank.kernel, Way(steps: way.steps + [Step(type: "kernel", field: keeper)], words: way.words))
            }
            guard let known = self.found[block] else {
                walked.frontier.insert(block)
                return
            }
            if known.count > Self.mostReferences { walked.isCut = true }
            queue.append((known, way))
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
                case .stack(let step):
                    end(isOld(found.word.target) ? Rank.unknown : Rank.stack, way.adding(step, found))
                case .unknown(let step): end(Rank.unknown, way.adding(step, found))
                case .frames(let other):
                    // The task's own memory resumes nothing, nor does that of another task which waits for the same stream.
                    guard !walked.readers.contains(other) else { break }
                    let name = tasks[other].map { "#\($0.id) \($0.name)" } ?? ""
                    let rank = isOld(found.word.target) ? Rank.unknown : awaits(other, task) ? Rank.waiter : Rank.frames
                    end(rank, way.adding(Step(type: "task", field: name), found))
                case .link(let step, let block):
                    guard walked.stream == 0 || !places.isReadingEnd(block, of: walked.stream) else { break }
                    follow(block, way.adding(step, found))
                }
            }
        }
        if walked.best == nil, let keeper = kernel.keepers[task] {
            end(Rank.kernel, Way(steps: [Step(type: "kernel", field: keeper)], words: []))
        }
        walked.blocks = visited
        if visited.count >= Self.mostBlocks { walked.isCut = true }
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

    /// The tasks that read streams of which something refers into the middle of a block, or from a place without a word's alignment, or from a
    /// register. `streams` are the blocks on the ways of each task.
    private func referencesInside(_ streams: [UInt64: Set<UInt64>]) -> Set<UInt64> {
        let blocks = Set(streams.values.joined()).compactMap { places.image.block(at: $0) }
        let registers = places.threads.threads.flatMap { thread in thread.registers.map { $0 & Self.unmarked } }
        var odd = Set(blocks.filter { block in registers.contains { block.range.contains($0) } }.map(\.address))
        for word in places.image.references(into: blocks.map(\.range)) {
            let isExact = word.place & 7 == 0 && places.image.word(word.place).map { $0 & Self.unmarked == word.target } ?? false
            if isExact || odd.contains(word.target) { continue }
            switch places.place(word.place & ~7, toTask: false) {
            case .stale: break
            case .frames(let task) where streams[task]?.contains(word.target) ?? false: break
            case .link(_, let block) where block == word.target: break
            case _: odd.insert(word.target)
            }
        }
        return Set(streams.keys.filter { !odd.isDisjoint(with: streams[$0] ?? []) })
    }

    /// - Parameter isSealed: Whether the task reads a stream, and nothing but the task and its reading end refers to the stream.
    private func holder(of task: UInt64, _ walked: Walked, hasInexact: Bool, isSealed: Bool) -> ContinuationHolder {
        let subject: ContinuationHolder.Subject = isJob(task) ? .job : walked.stream != 0 ? .stream : .continuation
        func unknown(_ reason: String) -> ContinuationHolder { ContinuationHolder(.unknown, of: subject, reason: reason) }
        guard stillWaits(task) else { return unknown("the task changed while it was read") }
        guard let end = walked.best else {
            if !isSealed, !direct(task).isEmpty { return unknown("memory that nothing refers to holds it") }
            if hasInexact { return unknown("odd memory may refer to it") }
            if registers(hold: task) { return unknown("a register may refer to it") }
            return doubt.map(unknown) ?? ContinuationHolder(.lost, of: subject)
        }
        guard end.rank < Rank.unknown else { return unknown("\(end.way.steps.last?.words ?? "memory") may hold it") }
        guard end.way.words.allSatisfy(isStillThere) else { return unknown("its holder changed while it was read") }
        let path = end.way.steps.filter { $0.type != "memory" || end.way.steps.count == 1 }
        return ContinuationHolder(.held, of: subject, path: path)
    }

    private func registers(hold task: UInt64) -> Bool {
        places.threads.threads.contains { $0.registers.contains { $0 & Self.unmarked == task } }
    }

    /// Whether the copy shows the task as the snapshot did.
    private func stillWaits(_ task: UInt64) -> Bool {
        let layout = places.runtime.layout
        guard let known = tasks[task], let status = places.image.word(task + UInt64(layout.status)) else { return false }
        let id = places.image.word(task + UInt64(layout.jobFlags)).map { $0 >> 32 }
        return id == known.id & 0xffff_ffff && status & (layout.isRunning | layout.isComplete) == 0
            && (status & layout.isEnqueued != 0) == isJob(task) && status & layout.hasDependency != 0
    }

    private func isStillThere(_ word: MemoryImage.Reference) -> Bool {
        places.process.isCore || (places.reader.word(word.place) ?? 0) & Self.unmarked == word.target
    }
}
