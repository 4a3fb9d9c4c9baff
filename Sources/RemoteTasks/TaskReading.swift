/// Reads tasks of a process that continues meanwhile. A task counts as read if its header was the same before and after.
///
/// An instance is valid for one pass over the memory: the caller empties the reader's cache between two passes. Not thread-safe: one thread
/// uses it.
final class TaskReading {
    /// The words of a task's header.
    typealias Header = UnsafePointer<UInt64>

    /// The meaning of a piece of memory that begins like a task.
    enum Verdict {
        case live
        /// The task has ended, and something still refers to it.
        case ended
        /// The memory of a task that is gone, or memory that never was a task.
        case dead
    }

    let runtime: ConcurrencyRuntime
    let reader: RemoteReader
    private let chains = FrameChains()
    /// The words that follow the tasks whose parent, group or name may stand there.
    private var tails: [UInt64] = []
    /// The dependency records that were, and that were not, among their task's records.
    private(set) var dependencies = (proven: 0, odd: 0)
    /// The flags of all tasks' statuses.
    private(set) var statusBits: UInt64 = 0
    private var names = (found: 0, missing: 0)
    private var layout: TaskLayout { runtime.layout }

    /// At most this many frames of the chain of asynchronous calls are read.
    static let mostFrames = 64
    /// At most this many contexts of the chain are read. Consecutive calls of one function are one frame.
    private static let mostContexts = 1 << 14
    /// At most this many slabs of a task are read.
    private static let mostSlabs = 4096
    /// At most this many records of a task are read.
    private static let mostRecords = 64
    /// The frames of a task that sleeps for a time: those of the library.
    private static let markedFrames = 2
    private static let markedWords = 16
    /// The place of the first word that may follow a task, and the number of such words that are read.
    static let tailStart: UInt64 = 192
    private static let tailWords = 18
    /// After this many tasks whose name was not found, and none whose name was, a missing name is not looked for again.
    private static let mostMissingNames = 64

    /// A larger number is not one of a trace.
    private static let traceLimit: UInt64 = 1 << 35

    init(_ runtime: ConcurrencyRuntime, _ reader: RemoteReader) {
        self.runtime = runtime
        self.reader = reader
    }

    var headerWords: Int { layout.headerSize / 8 }

    func id(_ header: Header) -> UInt64 {
        UInt64(half(header, layout.lowID)) | UInt64(half(header, layout.highID)) << 32
    }

    func verdict(_ header: Header) -> Verdict {
        let flags = half(header, layout.jobFlags)
        guard header[0] == runtime.taskMetadata, flags & layout.neverSet == 0, flags >> 8 & 0xff <= layout.highestPriority else {
            return .dead
        }
        let references = word(header, layout.references)
        guard references != 0, id(header) != 0, reader.process.isInModule(word(header, layout.resume)) else { return .dead }
        let isDestroyed = references & layout.countIsElsewhere == 0 && references & layout.isDestroyed != 0
        guard word(header, layout.status) & layout.isComplete != 0 else { return isDestroyed ? .dead : .live }
        // The memory of an `async let` task belongs to its parent, which keeps it unchanged.
        return isDestroyed || flags & layout.isAsyncLet != 0 ? .dead : .ended
    }

    /// Whether two readings of a header show the same moment of the same task. The other fields of a running task's header are not used.
    func isSame(_ one: Header, _ other: Header) -> Bool {
        guard one[0] == other[0], id(one) == id(other), word(one, layout.status) == word(other, layout.status) else { return false }
        return word(one, layout.status) & layout.isRunning != 0
            || word(one, layout.records) == word(other, layout.records) && word(one, layout.context) == word(other, layout.context)
                && word(one, layout.dependency) == word(other, layout.dependency) && word(one, layout.resume) == word(other, layout.resume)
    }

    /// The task. Nil if its header and its records disagree.
    ///
    /// - Parameter isLast: Whether a missing name, a suspended task without frames, and a wait that does not go with the task's state are
    ///   no such disagreement. A task's name is not among its records while the task is made, and while it ends. A task that goes on and waits
    ///   in the same place again has the same header, but its records and frames were read while it ran. Another version may number the kinds
    ///   of waits otherwise: the wait is then unknown.
    func task(_ header: Header, at address: UInt64, isLast: Bool = false) -> RemoteTask? {
        var task = unchanging(header, at: address)
        if task.isNamed {
            if task.name.isEmpty { names.missing += 1 } else { names.found += 1 }
            let isUsual = names.found > 0 || names.missing <= Self.mostMissingNames
            if task.name.isEmpty, isUsual, !isLast { return nil }
        }
        let status = word(header, layout.status)
        task.isCancelled = status & layout.isCancelled != 0
        task.isShielded = runtime.hasShields && status & layout.isShielded != 0
        task.priority = UInt8(truncatingIfNeeded: status)
        task.basePriority = UInt8(truncatingIfNeeded: word(header, layout.basePriority))
        let hasDependency = status & layout.hasDependency != 0
        if hasDependency {
            let record = word(header, layout.dependency)
            guard isDependency(record, ofRecords: word(header, layout.records)) else {
                dependencies.odd += 1
                return nil
            }
            dependencies.proven += 1
            task.wait = wait(record, records: word(header, layout.records))
        }
        if isLast, state(status, task.wait, hasDependency: hasDependency) == nil { task.wait = nil }
        guard let state = state(status, task.wait, hasDependency: hasDependency) else { return nil }
        statusBits |= status
        task.state = state
        if state != .running {
            (task.memory, task.ownsHeader) = memory(header)
            task.frames = frames(resume: word(header, layout.resume), context: word(header, layout.context))
            if state == .suspended, task.frames.isEmpty, !isLast { return nil }
            if state == .suspended { task.mark = mark(ofFrames: word(header, layout.context)) }
        }
        return task
    }

    /// The facts of a task that never change: its number, its kind and its name. ``LayoutProof`` adds the parent.
    func unchanging(_ header: Header, at address: UInt64) -> RemoteTask {
        var task = RemoteTask(id: id(header), address: address)
        let flags = half(header, layout.jobFlags)
        // The highest bit says whether the task has failed.
        let number = word(header, layout.reserved) & ~(1 << 63)
        if number != 0, number < Self.traceLimit { task.tracedNumber = number }
        task.kind = flags & layout.isAsyncLet != 0 ? .asyncLet : flags & layout.isGroupChild != 0 ? .groupChild : .unstructured
        task.isChild = flags & layout.isChild != 0
        task.isNamed = flags & layout.isNamed != 0
        if task.isNamed { task.name = name(word(header, layout.records)) ?? "" }
        if task.isChild || task.isNamed && task.name.isEmpty { task.tail = keepTail(of: address) }
        return task
    }

    // MARK: The words that follow a task

    private func keepTail(of address: UInt64) -> Int {
        let tail = tails.count
        let first = address &+ Self.tailStart
        let isRead: Bool? = reader.withWords(first, count: Self.tailWords) { words in
            tails += words
            return true
        }
        // The memory after the last task may not exist.
        if isRead == nil { tails += (0..<Self.tailWords).map { reader.word(first &+ UInt64($0 * 8)) ?? 0 } }
        return tail
    }

    /// The word at a place behind a task. 0 if it was not read.
    func tailWord(_ task: RemoteTask, _ place: UInt64) -> UInt64 {
        guard let tail = task.tail, place >= Self.tailStart, place % 8 == 0 else { return 0 }
        let index = Int((place - Self.tailStart) / 8)
        return index < Self.tailWords ? tails[tail + index] : 0
    }

    // MARK: Records

    /// Calls `body` with the records of a task, the innermost first, until it returns false. Kinds that are not known are records like the
    /// others. Returns false for records that end in memory that cannot be read, or do not end.
    @discardableResult
    func forEachRecord(from first: UInt64, _ body: (_ record: UInt64, _ kind: UInt64) -> Bool) -> Bool {
        var record = first
        for _ in 0..<Self.mostRecords where record != 0 {
            guard record & 7 == 0, let (kind, outer) = reader.pair(record) else { return false }
            guard body(record, kind & 0xff) else { return true }
            record = outer
        }
        return record == 0
    }

    /// Whether a dependency record is among its task's records. The innermost record usually is the dependency.
    private func isDependency(_ dependency: UInt64, ofRecords first: UInt64) -> Bool {
        guard dependency != 0 else { return false }
        var isFound = false
        forEachRecord(from: first) { record, kind in
            isFound = record == dependency && kind == layout.dependencyRecordKind
            return record != dependency
        }
        return isFound
    }

    /// The size of the task's header and of its slabs, and whether the header has memory of its own. The size is nil if the slabs are not as
    /// the header says.
    private func memory(_ header: Header) -> (size: UInt64?, ownsHeader: Bool) {
        let counts = half(header, layout.slabCount)
        var left = counts >> 1
        guard left <= Self.mostSlabs else { return (nil, false) }
        // The memory of an `async let` task, and its first slab, are a part of its parent's slabs.
        let isOfParent = counts & 1 == 1
        var size = isOfParent ? 0 : runtime.taskSize
        var slab = word(header, layout.firstSlab)
        if isOfParent {
            guard let first = self.slab(slab) else { return (nil, false) }
            slab = first.next
        }
        while slab != 0, left > 0 {
            guard let (next, capacity) = self.slab(slab) else { return (nil, false) }
            size += layout.slabSize + capacity
            (slab, left) = (next, left - 1)
        }
        return (slab == 0 && left == 0 ? size : nil, !isOfParent)
    }

    /// The next slab, and a slab's capacity in bytes.
    private func slab(_ address: UInt64) -> (next: UInt64, capacity: UInt64)? {
        guard address & 15 == 0 else { return nil }
        return reader.withWords(address, count: 3) { words in
            let capacity = words[layout.slabCapacity / 8] & 0xffff_ffff
            return capacity == 0 ? nil : (words[layout.nextSlab / 8], capacity)
        }
    }

    /// Nil if the flags and the record of the wait disagree.
    private func state(_ status: UInt64, _ wait: RemoteTask.Wait?, hasDependency: Bool) -> RemoteTask.State? {
        let isEnqueued = status & layout.isEnqueued != 0
        if status & layout.isRunning != 0 { return .running }
        switch wait {
        case .executor: return isEnqueued ? .queued : nil
        // A dependency of a kind that is not known.
        case nil where hasDependency: return isEnqueued ? .queued : .suspended
        case nil: return isEnqueued ? .queued : .pending
        case .task, .continuation, .group: return isEnqueued ? nil : .suspended
        }
    }

    /// Nil for a dependency of a kind that is not known, and for one whose value is not of its kind: the kinds of this runtime may be others.
    private func wait(_ record: UInt64, records: UInt64) -> RemoteTask.Wait? {
        reader.withWords(record, count: layout.dependencySize / 8) { words in
            let value = words[layout.dependencyValue / 8]
            let isTask = value != 0 && reader.word(value) == runtime.taskMetadata
            switch UInt32(truncatingIfNeeded: words[layout.dependencyKind / 8]) {
            case 1: return isTask ? .task(value) : nil
            case 2: return isTask || isGroup(value, records) ? nil : .continuation
            case 3: return isGroup(value, records) ? .group(value) : nil
            case 4: return isTask ? nil : .executor(identity: value, implementation: words[layout.dependencyExecutor / 8])
            case _: return nil
            }
        }
    }

    /// Whether a group of the task has this address. A group holds its record.
    private func isGroup(_ group: UInt64, _ records: UInt64) -> Bool {
        var isFound = false
        forEachRecord(from: records) { record, kind in
            let isWithin = record >= group && record - group <= TaskLayout.mostToGroupRecord
            isFound = isWithin && (kind == layout.groupKind || record == group &+ 8 && kind != layout.dependencyRecordKind)
            return !isFound
        }
        return isFound
    }

    /// Nil if no record holds a name.
    private func name(_ first: UInt64) -> String? {
        var name: String?
        forEachRecord(from: first) { record, kind in
            guard kind == layout.nameKind, let text = reader.word(record &+ UInt64(layout.recordName)),
                reader.word(text) != runtime.taskMetadata
            else { return true }
            name = reader.text(text)
            return false
        }
        return name
    }

    /// The resume functions of a task's contexts. The last context has no parent. Its function is the runtime's, and is left out. Empty for
    /// a broken chain.
    func frames(resume: UInt64, context: UInt64) -> [UInt64] {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.mostFrames + 1) { frames in
            let count = readFrames(resume, context, into: frames)
            return chains.shared(UnsafeBufferPointer(rebasing: frames[..<count]))
        }
    }

    /// A number made from the beginnings of the innermost frames.
    private func mark(ofFrames context: UInt64) -> UInt64 {
        var (context, mark): (UInt64, UInt64) = (context, 0)
        for _ in 0..<Self.markedFrames where context != 0 && context & 15 == 0 {
            let parent = reader.withWords(context, count: Self.markedWords) { words in
                for word in words { mark = (mark ^ word) &* 0x9E37_79B9_7F4A_7C15 }
                return words[0]
            }
            guard let parent else { return mark }
            context = parent
        }
        return mark
    }

    /// Whether one context is an ancestor of the other.
    func leads(from context: UInt64, to ancestor: UInt64) -> Bool {
        var context = context
        for _ in 0..<Self.mostFrames where context != ancestor {
            guard context != 0, context & 15 == 0, let (parent, function) = reader.pair(context), reader.process.isInModule(function)
            else { return false }
            context = parent
        }
        return context == ancestor
    }

    /// Returns the number of frames; 0 for a broken chain.
    private func readFrames(_ resume: UInt64, _ context: UInt64, into frames: UnsafeMutableBufferPointer<UInt64>) -> Int {
        var count = 0
        func add(_ function: UInt64) {
            frames[count] = function
            count += 1
        }
        if runtime.unbegun.contains(resume) {
            let body = reader.word(context &- layout.bodyBeforeContext) ?? 0
            if reader.process.isInModule(body) { add(body) }
        } else if resume != 0, !runtime.waiting.contains(resume) {
            add(resume)
        }
        var context = context
        var circle = CircleCheck(context)
        for _ in 0..<Self.mostContexts where context != 0 {
            guard context & 15 == 0, let (parent, function) = reader.pair(context), reader.process.isInModule(function),
                !circle.closes(at: parent)
            else { return 0 }
            if parent == 0 || count == Self.mostFrames { return count }
            // A continuation's context repeats the function that continues.
            if count == 0 || frames[count - 1] != function { add(function) }
            context = parent
        }
        return count
    }

    private func word(_ header: Header, _ offset: Int) -> UInt64 { header[offset / 8] }

    private func half(_ header: Header, _ offset: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: header[offset / 8] >> (offset % 8 == 0 ? 0 : 32))
    }
}

/// Lends one array to tasks with the same chain of frames, because many tasks wait in the same place. Not thread-safe: one thread uses it.
private final class FrameChains {
    private static let count = 256
    private var chains = [[UInt64]](repeating: [], count: FrameChains.count)

    func shared(_ frames: UnsafeBufferPointer<UInt64>) -> [UInt64] {
        guard let first = frames.first else { return [] }
        var hash = UInt64(frames.count)
        for frame in frames { hash = (hash ^ frame) &* 0x9E37_79B9_7F4A_7C15 }
        let slot = Int(truncatingIfNeeded: hash >> 32) % Self.count
        let known = chains[slot]
        if known.first == first, known.elementsEqual(frames) { return known }
        chains[slot] = Array(frames)
        return chains[slot]
    }
}
