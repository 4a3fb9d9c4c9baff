import CRemoteProcess

/// One pass over a process's writable memory. It finds tasks, and reads each at once. It also finds objects of actor classes, and the
/// control blocks of threads.
///
/// The process continues meanwhile. A task that changed during the reading is read again, up to eight times. If it changed each time, its
/// state is ``RemoteTask/State/changing``.
struct SnapshotPass {
    private(set) var tasks: [RemoteTask] = []
    private(set) var actors: [ActorCandidate] = []
    /// The addresses of the threads' control blocks, and of memory that looks like one.
    private(set) var threadBlocks: [UInt64] = []
    private(set) var counts = SnapshotCounts()

    private let process: RemoteProcess
    private let reading: TaskReading
    private let types: TypeNames
    private let block = MemoryBlock()
    /// The second reading of a block with many tasks.
    private let again = MemoryBlock()
    private var ignored = [UInt64](repeating: 0, count: remote_ignored_count)
    private var found = [remote_candidate](repeating: remote_candidate(), count: 4096)

    private var objects: [remote_candidate] = []

    private static let attempts = 32
    /// The same, once the pass has lost its patience.
    private static let fewAttempts = 8
    private static let mostPatience = 1 << 12
    private static let mostPieces = 128

    init(_ process: RemoteProcess, _ reading: TaskReading, _ types: TypeNames) {
        self.process = process
        self.reading = reading
        self.types = types
    }

    mutating func run() {
        for range in process.ranges where !process.isLate { scanParts(of: range) }
        reading.reader.forget()
        (counts.reads, counts.lookups) = process.calls
    }

    private mutating func scanWhole(_ range: Range<UInt64>) {
        let size = UInt64(MemoryBlock.mostPages * remote_page_size)
        var base = range.lowerBound
        while base < range.upperBound, !process.isLate {
            let end = base + min(size, range.upperBound - base)
            // Programs reserve much more memory than they use. An empty block is followed by the next page that exists.
            base = scan(base..<end) ? end : process.nextPage(in: end..<range.upperBound)
        }
    }

    /// Scans a stretch of memory without the inside of large blocks.
    ///
    /// The C library gives a large block a mapping of its own, which begins with the block's size. The stretch may begin with several of
    /// them. Such a block is one allocation: an object, a slab of a task's memory, or a buffer. The inside of a buffer, and of an object
    /// that is neither a task nor an actor, has no task.
    private mutating func scanParts(of range: Range<UInt64>) {
        var rest = range
        while !rest.isEmpty {
            reading.reader.forget()
            let page = rest.lowerBound..<rest.lowerBound + UInt64(remote_page_size)
            guard page.upperBound < rest.upperBound, block.read(page, of: process) > 0,
                let words = block.words(at: page.lowerBound, count: 3),
                words[0] == 0, words[1] & 7 == Self.isMapped, words[1] & ~7 >= Self.leastMapped,
                words[1] & ~7 <= UInt64(rest.count), (words[1] & ~7) % UInt64(remote_page_size) == 0
            else { break }
            let (size, first) = (words[1] & ~7, words[2])
            let isPlain = !process.isInModule(first) || types.isPlainClass(first)
            scanWhole(isPlain ? page : page.lowerBound..<page.lowerBound + size)
            if isPlain { counts.skipped += Int(size) - remote_page_size }
            rest = rest.lowerBound + size..<rest.upperBound
        }
        scanWhole(rest)
    }

    /// The flag of the C library in the size of a block that has a mapping of its own.
    private static let isMapped: UInt64 = 2
    /// The least size of such a block by default. A smaller one may begin like this by chance.
    private static let leastMapped: UInt64 = 128 << 10

    /// Returns false if no page of the range exists.
    private mutating func scan(_ range: Range<UInt64>) -> Bool {
        reading.reader.forget()
        let pages = block.read(range, of: process)
        guard pages > 0 else { return false }
        counts.bytes += pages * remote_page_size
        reading.reader.lend(block)
        var addresses: [UInt64] = []
        var runs: [(offset: Int, size: Int)] = []
        block.forEachRun { runs.append(($0, $1)) }
        for run in runs { find(run.offset, run.size, &addresses) }
        read(addresses)
        return true
    }

    /// Sorts the candidates in a run of pages by their kind.
    private mutating func find(_ offset: Int, _ size: Int, _ tasks: inout [UInt64]) {
        let words = UnsafePointer(block.bytes.advanced(by: offset).assumingMemoryBound(to: UInt64.self))
        var next = 0
        while true {
            let count = remote_scan(
                words, size / 8, block.base + UInt64(offset), reading.runtime.taskMetadata, ignored, &next, &found, found.count)
            objects.removeAll(keepingCapacity: true)
            for candidate in found[..<count] {
                switch candidate.kind {
                case remote_task: tasks.append(candidate.address)
                case remote_thread: threadBlocks.append(candidate.address)
                case _: objects.append(candidate)
                }
            }
            considerObjects()
            if count < found.count { return }
        }
    }

    /// Sorts the actors out of `objects`. Their first words are read together: odd memory may have a great many different ones, and a look
    /// at each would take longer than all the rest.
    private mutating func considerObjects() {
        counts.considered += objects.count
        let classes = types.classes(among: objects.lazy.map(\.first))
        for candidate in objects {
            if classes.contains(candidate.first), let kind = types.actorKind(candidate.first) {
                actors.append(ActorCandidate(address: candidate.address, metadata: candidate.first, kind: kind))
            } else {
                ignored[remote_ignored_slot(candidate.first)] = candidate.first
            }
        }
    }

    /// Reads the tasks at these addresses, then all their headers once more.
    private mutating func read(_ addresses: [UInt64]) {
        guard !addresses.isEmpty else { return }
        let words = reading.headerWords
        var drafts: [(task: RemoteTask?, header: TaskReading.Header)] = []
        var wanted: [UInt64] = []
        // A header that continues in the next block is read separately.
        let outside = addresses.filter { block.words(at: $0, count: words) == nil }
        process.readPieces(at: outside, words: words).withUnsafeBufferPointer { copies in
            for address in addresses {
                let copy = outside.firstIndex(of: address).flatMap { index in copies.baseAddress.map { $0 + index * words } }
                guard let header = copy ?? block.words(at: address, count: words), isLive(header, counting: true) else { continue }
                drafts.append((reading.task(header, at: address), header))
                wanted.append(address)
            }
            // Many headers are read sooner with all that is between them.
            let isDense = wanted.count > Self.mostPieces && again.read(block.range, of: process) > 0
            let pieces = isDense ? [] : process.readPieces(at: wanted, words: words)
            pieces.withUnsafeBufferPointer { pieces in
                for index in drafts.indices {
                    let header = isDense ? again.words(at: wanted[index], count: words) : pieces.baseAddress.map { $0 + index * words }
                    if let header, reading.isSame(drafts[index].header, header), let task = drafts[index].task {
                        tasks.append(task)
                    } else if let task = settled(wanted[index]) {
                        tasks.append(task)
                    } else {
                        counts.vanished += 1
                    }
                }
            }
        }
    }

    private mutating func isLive(_ header: TaskReading.Header, counting: Bool) -> Bool {
        let verdict = reading.verdict(header)
        if verdict != .dead { counts.highestID = max(counts.highestID, reading.id(header)) }
        if counting {
            if verdict == .ended { counts.ended += 1 }
            if verdict == .dead { counts.dead += 1 }
        }
        return verdict == .live
    }

    /// Reads one task until two readings of its header agree. Nil if the task is gone.
    private mutating func settled(_ address: UInt64) -> RemoteTask? {
        let words = reading.headerWords
        var (previous, settled): (RemoteTask?, RemoteTask?) = (nil, nil)
        let attempts = counts.readAgain < Self.mostPatience ? Self.attempts : Self.fewAttempts
        for attempt in 1...attempts {
            reading.reader.forget()
            let before = process.readPieces(at: [address], words: words)
            guard isLive(before, counting: false) else { return nil }
            let task = reading.task(before, at: address, isLast: attempt == attempts)
            let after = process.readPieces(at: [address], words: words)
            if var task, reading.isSame(before, after) {
                if task.name.isEmpty, let settled, settled.id == task.id { task.name = settled.name }
                return task
            }
            counts.readAgain += 1
            // The records may have changed while the name was read. A name is valid if two readings agree.
            let unchanging = reading.unchanging(before, at: address)
            if let previous, previous.id == unchanging.id, previous.name == unchanging.name {
                settled = unchanging
            }
            previous = unchanging
        }
        counts.changing += 1
        return settled?.id == previous?.id ? settled : previous.map { RemoteTask(id: $0.id, address: address) }
    }
}

/// The numbers that a snapshot gathered beside the tasks.
package struct SnapshotCounts: Hashable, Sendable {
    /// The number of bytes read.
    package var bytes = 0
    /// The bytes inside large blocks that cannot contain tasks.
    package var skipped = 0
    /// The system calls that read memory, and those that asked which pages exist.
    package var reads = 0
    package var lookups = 0
    /// Pieces of memory that begin like an object of a class that is not known yet.
    package var considered = 0
    /// The jobs read in the actors' queues, those of queues that were read several times included.
    package var queueSteps = 0
    /// Threads beyond the highest number that is read.
    package var unreadThreads = 0
    /// Tasks that have ended but are still referenced.
    package var ended = 0
    /// Pieces of memory that begin like a task but are none.
    package var dead = 0
    /// Tasks that were gone before they could be read.
    package var vanished = 0
    package var readAgain = 0
    /// Tasks that changed during every attempt to read them.
    package var changing = 0
    /// The highest number of a task. It is also the number of tasks made so far.
    package var highestID: UInt64 = 0

    func with(queueSteps: Int, unreadThreads: Int) -> SnapshotCounts {
        var counts = self
        (counts.queueSteps, counts.unreadThreads) = (queueSteps, unreadThreads)
        return counts
    }
}
