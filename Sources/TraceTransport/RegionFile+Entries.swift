import CTraceLanes
import Synchronization
import TaskEvents

extension RegionFile {
    package func copyEntries(to table: inout EntryTable) {
        // Each entry takes at least its header, so the table's size bounds a count that a sparse file claims.
        let most = UInt32(clamping: layout.entriesSize / UInt64(MemoryLayout<trace_entry>.size) + 1)
        let count = min(file.load(at: RegionField.entryCount) ?? 0, layout.entryLimit, most)
        guard table.count < count else { return }
        // The entries must not be read before their count.
        atomicMemoryFence(ordering: .acquiring)
        var offsets = [UInt32](repeating: .max, count: Int(count - table.count))
        _ = offsets.withUnsafeMutableBytes { file.read(at: layout.entryIndexOffset + UInt64(table.count) * 4, into: $0) }
        var window = EntryWindow(file: file, start: layout.entriesOffset, size: layout.entriesSize)
        for offset in offsets { table.append(window.entry(at: UInt64(offset))) }
    }
}

/// The most recently read part of a file's table. Entries are stored one after the other, so most are found in it.
private struct EntryWindow {
    let file: OpenFile
    let start: UInt64
    let size: UInt64
    private var bytes = [UInt8](repeating: 0, count: 64 << 10)
    private var first: UInt64 = 0
    private var count = 0

    init(file: OpenFile, start: UInt64, size: UInt64) {
        self.file = file
        self.start = start
        self.size = size
    }

    /// The entry at `offset`; `.none` if no entry can be there.
    mutating func entry(at offset: UInt64) -> Entry {
        let head = MemoryLayout<trace_entry>.size
        guard offset < size, reach(offset, head) else { return .none }
        let raw = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(offset - first), as: trace_entry.self) }
        // The writer cuts texts to 4096 bytes.
        guard raw.length <= 4096, reach(offset, head + Int(raw.length)) else { return .none }
        return bytes.withUnsafeBufferPointer { bytes in
            withUnsafePointer(to: raw) { Entry($0, bytes: bytes.baseAddress! + Int(offset - first) + head) }
        }
    }

    /// Makes sure that the window holds `length` bytes from `offset` on. Returns false if the table does not have them.
    private mutating func reach(_ offset: UInt64, _ length: Int) -> Bool {
        if offset >= first, offset + UInt64(length) <= first + UInt64(count) { return true }
        let room = Int(min(UInt64(bytes.count), size - offset))
        first = offset
        count = bytes.withUnsafeMutableBytes { file.read(at: start + offset, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room])) }
        return length <= count
    }
}
