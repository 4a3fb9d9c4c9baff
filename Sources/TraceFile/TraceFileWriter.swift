import TaskEvents
import TraceTransport

/// Writes a recording: a `.hop` file, which `Docs/TraceFormat.md` describes.
///
/// Events are put together in blocks. A block is written when it is full, when a tenth of a second of the trace has passed, or when an
/// empty batch says that nothing comes; so a reader of the file sees it grow, and after a crash it lacks a tenth of a second. Memory is
/// bounded by a block, an index of a thousand blocks, and the table of names.
///
/// Once a write has failed, nothing more is written, and the file is left with the blocks that it has. Not thread-safe.
package final class TraceFileWriter: TraceSink {
    /// Time of the trace that events wait at most before they are in the file, as far as events go on coming.
    static let flushInterval: UInt64 = 100_000_000

    private let file: TraceFileOutput
    private var entries = EntryTable()
    private var block = TraceFileEventBuffer()
    private var places: [TraceFilePlace] = []
    private var lastIndex = 0
    private var sequence: UInt64 = 0
    private var writtenEvents = 0
    private var writtenEntries: UInt32 = 0
    private var lost: UInt64 = 0
    private var failure: TraceProblem?
    private var isFinished = false

    /// Events written or waiting for their block to be.
    package var eventCount: Int { writtenEvents + block.count }

    /// Bytes of the file so far.
    package var fileSize: Int { file.size }

    /// Bytes of memory that it needs, names not included.
    package var bufferBytes: Int { block.capacity + places.capacity * MemoryLayout<TraceFilePlace>.stride }

    /// Begins a recording; a recording that is there is overwritten, any other file is not.
    package convenience init(path: String, header: TraceFileHeader) throws(TraceProblem) {
        try self.init(file: TraceFileOutput(path: path), header: header)
    }

    init(file: TraceFileOutput, header: TraceFileHeader) throws(TraceProblem) {
        self.file = file
        try append(header.bytes)
    }

    // MARK: What comes in

    /// Adds names, sites and errors, all that the table has and the file has not. Before the events that refer to them.
    package func write(_ table: EntryTable) {
        while entries.count < table.count { entries.append(table[EntryID(rawValue: entries.count)]) }
    }

    package func write(_ batch: TraceBatch) throws(TraceProblem) {
        precondition(!isFinished, "\(batch.events.count) events for a recording that is finished")
        if let failure { throw failure }
        batch.source?.copyEntries(to: &entries)
        var taken = 0
        while taken < batch.events.count {
            taken += block.append(batch, from: taken, number: eventCount + 1)
            if block.isFull || block.span >= Self.flushInterval { try flush() }
        }
        if batch.isEmpty { try flush() }
    }

    /// Writes what waits, so that a reader has it.
    package func flush() throws(TraceProblem) {
        if let failure { throw failure }
        try writeEntries()
        try writeEvents()
    }

    /// Writes what waits, the index and the end. The file is complete then; nothing can be added.
    package func finish() throws(TraceProblem) {
        guard !isFinished else { return }
        isFinished = true
        try flush()
        try writeIndex()
        let footer = TraceFileFooter(eventCount: writtenEvents, entryCount: Int(writtenEntries), lost: lost, lastIndex: lastIndex)
        try write(.footer, payload: footer.payload, count: 0)
    }

    // MARK: Blocks

    private func writeEvents() throws(TraceProblem) {
        guard block.count > 0 else { return }
        let (header, bytes) = block.finish(sequence: sequence, offset: file.size)
        try append(bytes)
        writtenEvents += header.count
        lost &+= header.lost
        block.removeAll()
        try note(header)
    }

    private func writeEntries() throws(TraceProblem) {
        while writtenEntries < entries.count {
            let (payload, count) = TraceFileEntries.payload(of: entries, from: writtenEntries)
            writtenEntries += UInt32(count)
            try note(write(.entries, payload: payload, count: count))
        }
    }

    private func writeIndex() throws(TraceProblem) {
        guard !places.isEmpty else { return }
        let index = try write(.index, payload: TraceFileIndex.payload(of: places, previous: lastIndex), count: places.count)
        lastIndex = index.offset
        sequence += 1
        places.removeAll(keepingCapacity: true)
    }

    @discardableResult
    private func write(_ kind: TraceFileBlockKind, payload: [UInt8], count: Int) throws(TraceProblem) -> TraceFileBlock {
        var header = TraceFileBlock(kind, sequence: sequence, offset: file.size, firstEvent: writtenEvents + 1)
        header.payloadSize = payload.count
        header.count = count
        var bytes = [UInt8](repeating: 0, count: TraceFileBlock.size) + payload
        header.seal(&bytes)
        try append(bytes)
        return header
    }

    /// A block has been written: its place goes into the index.
    private func note(_ block: TraceFileBlock) throws(TraceProblem) {
        sequence += 1
        places.append(TraceFilePlace(block))
        if places.count == TraceFileIndex.limit { try writeIndex() }
    }

    private func append(_ bytes: [UInt8]) throws(TraceProblem) {
        do throws(TraceProblem) {
            try file.append(bytes)
        } catch {
            failure = error
            throw error
        }
    }
}

/// Where a recording goes: a file.
///
/// A sink is used by one thread at a time: the recorder's, and at last the one that stops it.
package protocol TraceSink {
    /// Takes what came next, in the trace's one order. Names and errors that the events refer to are in `batch.source`'s table by now. A
    /// batch without events says that none have come for a while: what is held back had better be written.
    mutating func write(_ batch: TraceBatch) throws

    /// Completes the file; nothing is written after it.
    mutating func finish() throws
}
