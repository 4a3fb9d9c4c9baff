import TaskEvents
import TraceTransport

/// Writes a recording: a `.hop` file, which `Docs/TraceFormat.md` describes.
///
/// Events are collected in blocks. A block is written when it is full, when it spans a tenth of a second of the trace, or when an empty
/// batch reports that no events have come for a while. A reader therefore sees the file grow, and a crash loses at most about a tenth of a
/// second. Memory is bounded by one block, an index of a thousand blocks, and the table of names.
///
/// After a failed write nothing more is written, and the file keeps its earlier blocks. Not thread-safe.
package final class TraceFileWriter: TraceSink {
    /// The largest span of trace time that events wait before they are written, as long as events keep coming.
    static let flushInterval: UInt64 = 100_000_000

    /// Finds the names of places in code: of places in entries, and of places in a profile's stacks.
    package typealias Naming = @Sendable (_ entries: Set<CodeAddress>, _ stacks: Set<CodeAddress>) -> FoundNames

    /// Says how the trace ended, where no event does: a sentence, and its time.
    package typealias Closing = @Sendable () -> (sentence: String, time: UInt64)?

    private let file: TraceFileOutput
    private let naming: Naming?
    private let closing: Closing?
    /// The places in the profile's stacks.
    private var stackPlaces: Set<CodeAddress> = []
    private let compressor: TraceFileCompressor
    /// Room for the columns of a block.
    private let columns = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TraceFileEvents.blockLimit * TraceFileColumns.mostBytesPerEvent, alignment: 8)
    /// A block as it is written, kept for its memory.
    private var packed: [UInt8] = []
    private var entries = EntryTable()
    private var block = TraceFileEventBuffer()
    private var rows: [TraceFileRow] = []
    private var lastIndex = 0
    private var sequence: UInt64 = 0
    private var writtenEvents = 0
    private var writtenEntries: UInt32 = 0
    private var lost: UInt64 = 0
    private var lastTime: UInt64 = 0
    private var failure: TraceProblem?
    private var isFinished = false

    /// The number of events that are written or wait for their block to be written.
    package var eventCount: Int { writtenEvents + block.count }

    /// The file's current size in bytes.
    package var fileSize: Int { file.size }

    /// Starts a recording. Overwrites an existing recording, but no other file. `closing` and `naming` are called when the recording is
    /// finished; with the names it can be read without the program.
    package convenience init(
        path: String, header: TraceFileHeader, naming: Naming? = nil, closing: Closing? = nil
    ) throws(TraceProblem) {
        try self.init(file: TraceFileOutput(path: path), header: header, naming: naming, closing: closing)
    }

    init(file: TraceFileOutput, header: TraceFileHeader, naming: Naming? = nil, closing: Closing? = nil) throws(TraceProblem) {
        self.file = file
        self.naming = naming
        self.closing = closing
        compressor = try TraceFileCompressor()
        do throws(TraceProblem) {
            try append(header.bytes)
        } catch {
            file.remove()
            throw error
        }
    }

    /// The reason why nothing can be recorded to an open file: another recording is being written to it. Nil if none is.
    package static func obstacle(_ descriptor: Int32, path: String) -> TraceProblem? {
        TraceFileOutput.isLocked(descriptor) ? TraceFileOutput.isWritten(path) : nil
    }

    /// Removes a file without events, after a write has failed.
    package func removeIfEmpty() {
        if writtenEvents == 0 { file.remove() }
    }

    deinit {
        columns.deallocate()
    }

    // MARK: Input

    /// Adds the names, sites and errors of the table that the file lacks. Call it before writing events that refer to them.
    package func write(_ table: EntryTable) {
        while entries.count < table.count { entries.append(table[EntryID(rawValue: entries.count)]) }
        if table.symbols.count > entries.symbols.count { entries.learn(table.symbols) }
    }

    package func write(_ batch: TraceBatch) throws(TraceProblem) {
        precondition(!isFinished, "\(batch.events.count) events for a recording that is finished")
        if let failure { throw failure }
        batch.source?.copyEntries(to: &entries)
        lastTime = max(lastTime, batch.events.last?.time ?? 0)
        var taken = 0
        while taken < batch.events.count {
            taken += block.append(batch, from: taken, number: eventCount + 1)
            if block.isFull || block.span >= Self.flushInterval { try flush() }
        }
        if batch.isEmpty { try flush() }
    }

    /// Writes all waiting events, so that readers see them.
    package func flush() throws(TraceProblem) {
        if let failure { throw failure }
        try writeEntries()
        try writeEvents()
    }

    /// Writes all waiting events, the names of places in code, the index and the footer. The file is then complete, and nothing can be added.
    ///
    /// - Parameters:
    ///   - sawExit: whether the program had ended before its last events were read. Readers then know that none can follow.
    ///   - time: the time until which the trace is known; a time before the last event stands for that of the event.
    package func finish(sawExit: Bool = false, at time: UInt64 = 0) throws(TraceProblem) {
        guard !isFinished else { return }
        if let (sentence, time) = closing?() { try mark(sentence, at: max(time, lastTime)) }
        isFinished = true
        try flush()
        try writeSymbols()
        try writeIndex()
        let footer = TraceFileFooter(eventCount: writtenEvents, entryCount: Int(writtenEntries), lost: lost, lastIndex: lastIndex)
        let exit = sawExit ? TraceFileFooter.Exit.seen : .unseen
        try write(.footer, payload: footer.payload, count: exit.rawValue, lastTime: max(time, lastTime))
    }

    private func mark(_ sentence: String, at time: UInt64) throws(TraceProblem) {
        entries.append(.text(sentence))
        let label = EntryID(rawValue: entries.count - 1)
        try write(TraceBatch(events: [TaskEvent(.mark, at: time, label: label)], lanes: [TraceBatch.noLane]))
    }

    // MARK: Blocks

    private func writeEvents() throws(TraceProblem) {
        guard block.count > 0 else { return }
        var header = TraceFileBlock(.events, sequence: sequence, offset: file.size, firstEvent: block.first)
        block.describe(in: &header)
        try writePacked(&header, TraceFileColumns.write(block.events, lanes: block.lanes, from: block.firstTime, to: columns))
        writtenEvents += header.count
        lost &+= header.lost
        block.removeAll()
        try note(header)
    }

    private func writeEntries() throws(TraceProblem) {
        while writtenEntries < entries.count {
            let (payload, count) = TraceFileEntries.payload(of: entries, from: writtenEntries)
            writtenEntries += UInt32(count)
            try writePacked(.entries, payload, count: count)
        }
    }

    /// Writes samples and context switches. Later parts of a profile follow in further blocks.
    package func write(_ profile: ThreadProfile) throws(TraceProblem) {
        if let failure { throw failure }
        // The block says which event comes next, so the events before it are written first.
        try flush()
        for part in TraceFileProfile.payloads(of: profile) { try writePacked(.profile, part.bytes, count: part.count) }
        if naming != nil { stackPlaces.formUnion(profile.stacks.joined()) }
    }

    private func writeSymbols() throws(TraceProblem) {
        var names = FoundNames(symbols: entries.symbols)
        if let found = naming?(entries.unknownAddresses(), stackPlaces) {
            names.symbols.merge(found.symbols) { known, _ in known }
            names.stacks = found.stacks
        }
        for payload in TraceFileSymbols.payloads(of: names) { try writePacked(.symbols, payload.bytes, count: payload.count) }
    }

    /// Writes a block that has no events.
    private func writePacked(_ kind: TraceFileBlockKind, _ payload: [UInt8], count: Int) throws(TraceProblem) {
        var header = TraceFileBlock(kind, sequence: sequence, offset: file.size, firstEvent: writtenEvents + 1)
        header.count = count
        try payload.withUnsafeBytes { payload in
            Result { () throws(TraceProblem) in try writePacked(&header, payload) }
        }.get()
        try note(header)
    }

    private func writeIndex() throws(TraceProblem) {
        guard !rows.isEmpty else { return }
        let index = try write(.index, payload: TraceFileIndex.payload(of: rows, previous: lastIndex), count: rows.count)
        lastIndex = index.offset
        sequence += 1
        rows.removeAll(keepingCapacity: true)
    }

    /// Compresses the payload and writes the block.
    private func writePacked(_ header: inout TraceFileBlock, _ payload: UnsafeRawBufferPointer) throws(TraceProblem) {
        packed.removeAll(keepingCapacity: true)
        packed.append(contentsOf: repeatElement(0, count: TraceFileBlock.size))
        do throws(TraceProblem) {
            try compressor.append(payload, to: &packed)
        } catch {
            failure = error
            throw error
        }
        header.encodingCode = TraceFileEncoding.packed.rawValue
        header.payloadSize = packed.count - TraceFileBlock.size
        header.seal(&packed)
        try append(packed)
    }

    @discardableResult
    private func write(
        _ kind: TraceFileBlockKind, payload: [UInt8], count: Int, lastTime: UInt64 = 0
    ) throws(TraceProblem) -> TraceFileBlock {
        var header = TraceFileBlock(kind, sequence: sequence, offset: file.size, firstEvent: writtenEvents + 1)
        (header.payloadSize, header.count, header.lastTime) = (payload.count, count, lastTime)
        var bytes = [UInt8](repeating: 0, count: TraceFileBlock.size) + payload
        header.seal(&bytes)
        try append(bytes)
        return header
    }

    /// Records a written block's place for the index.
    private func note(_ block: TraceFileBlock) throws(TraceProblem) {
        sequence += 1
        rows.append(TraceFileRow(block))
        if rows.count == TraceFileIndex.limit { try writeIndex() }
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
