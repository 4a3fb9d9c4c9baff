import TaskEvents
import TraceTransport

/// Locating the blocks: through the index, or by walking from one block to the next.
extension TraceFileReader {
    func readHeader() throws(TraceProblem) {
        let bytes = file.bytes(at: 0, count: min(size, TraceFileHeader.fixedSize + TraceFileHeader.programLimit))
        switch bytes.withUnsafeBytes(TraceFileHeader.read) {
        case .header(let header, let size):
            self.header = header
            scanned = size
        case .newer(let version):
            let versions = "its format is \(version), and this one reads up to \(TraceFileHeader.version)"
            throw TraceProblem(.unreadable, "“\(path)” was recorded by a newer Hopscope: \(versions). Update Hopscope to read it.")
        case .damaged:
            damage.append(TraceFileDamage(loss: .header, bytes: 0..<min(size, TraceFileHeader.fixedSize)))
            scanned = TraceFileHeader.fixedSize
        case .other:
            guard size > 0 else { throw TraceProblem(.unreadable, "“\(path)” is empty: its recording was ended before it began.") }
            throw TraceProblem(.unreadable, "“\(path)” is no recording of Hopscope's; `hopscope record -o FILE` makes one.")
        }
    }

    /// Reads the blocks that have been appended since the last call. Returns whether there are new events.
    @discardableResult
    package func refresh() -> Bool {
        let count = eventCount
        let newSize = file.size
        guard !isComplete, newSize > size else { return false }
        size = newSize
        scan()
        return eventCount > count
    }

    // MARK: By the index

    /// Returns false if the file lacks an intact index of all its blocks.
    func readIndex() -> Bool {
        let offset = size - TraceFileFooter.size
        guard offset >= scanned, let block = readBlock(at: offset), block.kind == .footer, let payload = readPayload(of: block),
            let footer = payload.withUnsafeBytes({ TraceFileFooter($0) }), let rows = readRows(footer, before: offset)
        else { return false }
        for row in rows where row.kind == .entries { readEntries(at: row.offset) }
        var names = FoundNames()
        for row in rows where row.kind == .symbols { readSymbols(at: row.offset, into: &names) }
        learn(names)
        profiles = rows.lazy.filter { $0.kind == .profile }.map(\.offset)
        segments = rows.lazy.filter { $0.kind == .events }.map { TraceFileSegment($0) }
        lost = footer.lost
        isComplete = true
        sawExit = block.sawExit
        knownUntil = min(block.lastTime, TraceLimits.latestTime)
        scanned = size
        return true
    }

    /// All places, in order; nil unless they account for all events that the footer counts.
    private func readRows(_ footer: TraceFileFooter, before end: Int) -> [TraceFileRow]? {
        var groups: [[TraceFileRow]] = []
        var (offset, end) = (footer.lastIndex, end)
        while offset != 0 {
            guard offset >= scanned, offset < end, let block = readBlock(at: offset), block.kind == .index,
                let payload = readPayload(of: block),
                let index = payload.withUnsafeBytes({ TraceFileIndex.read($0, count: block.count, fileSize: size) })
            else { return nil }
            groups.append(index.rows)
            (offset, end) = (index.previous, offset)
        }
        let rows = Array(groups.reversed().joined())
        var (lastOffset, nextEvent) = (0, 1)
        for row in rows {
            guard row.offset > lastOffset, row.firstEvent == nextEvent else { return nil }
            lastOffset = row.offset
            if row.kind == .events {
                guard row.count > 0 else { return nil }
                nextEvent += row.count
            }
        }
        // The places prove no block. From block to block, each is looked at.
        guard nextEvent == footer.eventCount + 1, TraceFileEvents.canBe(footer.eventCount, in: size) else { return nil }
        return rows
    }

    // MARK: From block to block

    /// Continues from the offset `scanned` to the last whole block. Skips damaged parts.
    func scan() {
        var names = FoundNames()
        while scanned + TraceFileBlock.size <= size, let block = readBlock(at: scanned) ?? findBlock(from: scanned + 8), block.end <= size {
            accept(block, behind: scanned, names: &names)
            scanned = block.end
        }
        learn(names)
    }

    /// The first valid block from `start` on.
    private func findBlock(from start: Int) -> TraceFileBlock? {
        var offset = start
        while offset + TraceFileBlock.size <= size {
            let window = file.bytes(at: offset, count: min(Self.window, size - offset))
            let found = window.withUnsafeBytes { bytes -> TraceFileBlock? in
                var row = 0
                while row + TraceFileBlock.size <= bytes.count {
                    if bytes.load32(row) == TraceFileBlock.magic,
                        let block = TraceFileBlock(UnsafeRawBufferPointer(rebasing: bytes[row...]), at: offset + row)
                    {
                        return block
                    }
                    row += 8
                }
                return nil
            }
            if let found { return found }
            guard window.count > TraceFileBlock.size else { return nil }
            // A block may begin in the last bytes of this window, so the next window starts before them.
            offset += (window.count - TraceFileBlock.size) / 8 * 8 + 8
        }
        return nil
    }

    private static let window = 1 << 16

    /// Adds a block that follows known bytes, or follows damage that begins at `known`.
    private func accept(_ block: TraceFileBlock, behind known: Int, names: inout FoundNames) {
        let next = numbers.upperBound
        let gap = next..<max(next, block.firstEvent)
        // Missing events were in the damaged bytes, so the gap cannot hold more events than as many blocks as had room there.
        guard block.firstEvent >= next, gap.count <= (block.offset - known) / TraceFileBlock.size * TraceFileEvents.blockLimit,
            TraceFileEvents.canBe(missingEvents + gap.count, in: block.offset), isBelieved(block)
        else {
            damage.append(TraceFileDamage(loss: .nothing, bytes: known..<block.end))
            return
        }
        if !gap.isEmpty {
            missingEvents += gap.count
            segments += TraceFileSegment.missing(gap, at: endTime)
            damage.append(TraceFileDamage(loss: .events(gap), bytes: known..<block.offset))
        } else if block.offset > known {
            damage.append(TraceFileDamage(loss: .nothing, bytes: known..<block.offset))
        }
        switch block.kind {
        case .events: segments.append(TraceFileSegment(TraceFileRow(block)))
        case .entries: readEntries(at: block.offset)
        case .profile: profiles.append(block.offset)
        case .symbols: readSymbols(at: block.offset, into: &names)
        case .footer:
            isComplete = block.end == size
            sawExit = isComplete ? block.sawExit : nil
            knownUntil = isComplete ? min(block.lastTime, TraceLimits.latestTime) : 0
        case .index, nil: break
        }
    }

    /// Whether a block's header may announce its events. Above a number that fits the bytes so far, the events themselves must be there.
    private func isBelieved(_ block: TraceFileBlock) -> Bool {
        guard block.kind == .events, !TraceFileEvents.canBe(eventCount + block.count, in: block.end) else { return true }
        return readEvents(TraceFileSegment(TraceFileRow(block)), at: block.offset) != nil
    }

    // MARK: Names

    /// Appends the entries of a block. Entries missing before them become `.none`, so that later ids stay valid.
    private func readEntries(at offset: Int) {
        guard let block = readBlock(at: offset), block.kind == .entries, let payload = readPayload(of: block),
            let (first, new) = payload.withUnsafeBytes({ TraceFileEntries.read($0, count: block.count) }), first >= entries.count,
            missingEntries + Int(first) - Int(entries.count) <= size / TraceFileEntries.headSize
        else { return loseNames(at: offset) }
        missingEntries += Int(first) - Int(entries.count)
        while entries.count < first { entries.append(.none) }
        for entry in new { entries.append(known(entry)) }
    }

    /// Adds the functions and lines of places in code to `names`, which are learnt together: each time looks at all entries.
    private func readSymbols(at offset: Int, into names: inout FoundNames) {
        guard let block = readBlock(at: offset), block.kind == .symbols, let payload = readPayload(of: block),
            let found = payload.withUnsafeBytes({ TraceFileSymbols.read($0) })
        else { return loseNames(at: offset) }
        names.symbols.merge(found.symbols) { _, new in new }
        names.stacks.merge(found.stacks) { _, new in new }
    }

    private func loseNames(at offset: Int) {
        let end = readBlock(at: offset)?.end ?? offset + TraceFileBlock.size
        damage.append(TraceFileDamage(loss: .names, bytes: offset..<min(end, size)))
    }

    /// An executor whose name is missing is replaced by `.none`.
    private func known(_ entry: Entry) -> Entry {
        guard case .executor(_, let name, _) = entry else { return entry }
        guard case .text = entries[name] else { return .none }
        return entry
    }
}
