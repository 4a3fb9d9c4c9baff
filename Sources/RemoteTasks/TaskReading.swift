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
    private var layout: TaskLayout { runtime.layout }

    /// At most this many frames of the chain of asynchronous calls are read.
    static let mostFrames = 64
    /// At most this many contexts of the chain are read. Consecutive calls of one function are one frame.
    private static let mostContexts = 1 << 14
    /// At most this many slabs of a task are read.
    private static let mostSlabs = 4096
    /// At most this many records of a task are read.
    private static let mostRecords = 64

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
    func task(_ header: Header, at address: UInt64) -> RemoteTask? {
        // A task's name is not among its records while the task is made, and while it ends.
        guard var task = unchanging(header, at: address) else { return nil }
        let status = word(header, layout.status)
        task.isCancelled = status & layout.isCancelled != 0
        task.priority = UInt8(truncatingIfNeeded: status)
        task.basePriority = UInt8(truncatingIfNeeded: word(header, layout.basePriority))
        if status & layout.hasDependency != 0 {
            guard let wait = wait(word(header, layout.dependency)) else { return nil }
            task.wait = wait
        }
        guard let state = state(status, task.wait) else { return nil }
        task.state = state
        if state != .running {
            task.memory = memory(header, of: task)
            task.frames = frames(resume: word(header, layout.resume), context: word(header, layout.context))
        }
        return task
    }

    /// The facts of a task that never change: its number, its kind, its name and its parent. Nil if the name is missing.
    func unchanging(_ header: Header, at address: UInt64) -> RemoteTask? {
        var task = RemoteTask(id: id(header), address: address)
        let flags = half(header, layout.jobFlags)
        // The highest bit says whether the task has failed.
        let number = word(header, layout.reserved) & ~(1 << 63)
        if number != 0, number < Self.traceLimit { task.tracedNumber = number }
        task.kind = flags & layout.isAsyncLet != 0 ? .asyncLet : flags & layout.isGroupChild != 0 ? .groupChild : .unstructured
        if flags & layout.isNamed != 0 {
            guard let name = name(word(header, layout.records)) else { return nil }
            task.name = name
        }
        if flags & layout.isChild != 0 {
            let fragment = address &+ runtime.taskSize
            task.parent = reader.word(fragment) ?? 0
            if flags & layout.isGroupChild != 0 { task.group = reader.word(fragment &+ UInt64(layout.childGroup)) ?? 0 }
        }
        return task
    }

    /// The size of the task's header and of its slabs. Nil if the slabs are not as the header says.
    private func memory(_ header: Header, of task: RemoteTask) -> UInt64? {
        let counts = half(header, layout.slabCount)
        var left = counts >> 1
        guard left <= Self.mostSlabs else { return nil }
        // The memory of an `async let` task, and its first slab, are a part of its parent's slabs.
        let isOfParent = counts & 1 == 1
        var size = isOfParent ? 0 : runtime.taskSize
        var slab = word(header, layout.firstSlab)
        if isOfParent {
            guard let first = self.slab(slab) else { return nil }
            slab = first.next
        }
        while slab != 0, left > 0 {
            guard let (next, capacity) = self.slab(slab) else { return nil }
            size += layout.slabSize + capacity
            (slab, left) = (next, left - 1)
        }
        return slab == 0 && left == 0 ? size : nil
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
    private func state(_ status: UInt64, _ wait: RemoteTask.Wait?) -> RemoteTask.State? {
        let isEnqueued = status & layout.isEnqueued != 0
        if status & layout.isRunning != 0 { return .running }
        switch wait {
        case .executor: return isEnqueued ? .queued : nil
        case nil: return isEnqueued ? .queued : .pending
        case .task, .continuation, .group: return isEnqueued ? nil : .suspended
        }
    }

    private func wait(_ record: UInt64) -> RemoteTask.Wait? {
        guard record != 0 else { return nil }
        return reader.withWords(record, count: layout.dependencySize / 8) { words in
            guard words[layout.recordKind / 8] & 0xff == 0 else { return nil }
            let value = words[layout.dependencyValue / 8]
            switch UInt32(truncatingIfNeeded: words[layout.dependencyKind / 8]) {
            case 1: return .task(value)
            case 2: return .continuation
            case 3: return .group(value)
            case 4: return .executor(identity: value, implementation: words[layout.dependencyExecutor / 8])
            case _: return nil
            }
        }
    }

    /// Nil if no record holds a name.
    private func name(_ first: UInt64) -> String? {
        var record = first
        for _ in 0..<Self.mostRecords where record != 0 {
            guard let kind = reader.word(record &+ UInt64(layout.recordKind)) else { return nil }
            if kind & 0xff == layout.nameKind {
                return reader.word(record &+ UInt64(layout.recordName)).flatMap { reader.text($0) }
            }
            record = reader.word(record &+ UInt64(layout.outerRecord)) ?? 0
        }
        return nil
    }

    /// The resume functions of a task's contexts. The last context has no parent. Its function is the runtime's, and is left out. Empty for
    /// a broken chain.
    func frames(resume: UInt64, context: UInt64) -> [UInt64] {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.mostFrames + 1) { frames in
            let count = readFrames(resume, context, into: frames)
            return chains.shared(UnsafeBufferPointer(rebasing: frames[..<count]))
        }
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
