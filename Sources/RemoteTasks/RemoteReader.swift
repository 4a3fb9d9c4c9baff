import CRemoteProcess

/// Reads another process's memory through a cache of pages. The cache holds pages read since the last ``forget()``. Not thread-safe: one
/// thread uses it.
final class RemoteReader {
    let process: RemoteProcess
    private let raw: OpaquePointer

    init(_ process: RemoteProcess) {
        self.process = process
        raw = remote_reader_make(process.raw)
    }

    deinit {
        remote_reader_free(raw)
    }

    /// Empties the cache, so that the next reads see the memory as it is then.
    func forget() {
        remote_reader_forget(raw)
    }

    /// Puts a piece of memory that was just read into the cache, until ``forget()``.
    func lend(_ block: MemoryBlock) {
        remote_reader_lend(raw, block.base, block.bytes, block.size, block.present)
    }

    func read(_ address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let base = buffer.baseAddress else { return true }
        return remote_reader_read(raw, address, base, buffer.count)
    }

    /// A word. Nil if it cannot be read.
    func word(_ address: UInt64) -> UInt64? {
        var word: UInt64 = 0
        return remote_reader_read(raw, address, &word, 8) ? word : nil
    }

    func half(_ address: UInt64) -> UInt32? {
        var half: UInt32 = 0
        return remote_reader_read(raw, address, &half, 4) ? half : nil
    }

    /// Two consecutive words.
    func pair(_ address: UInt64) -> (UInt64, UInt64)? {
        var words: (UInt64, UInt64) = (0, 0)
        return remote_reader_read(raw, address, &words, 16) ? words : nil
    }

    func words(_ address: UInt64, count: Int) -> [UInt64]? {
        var words = [UInt64](repeating: 0, count: count)
        return remote_reader_read(raw, address, &words, count * 8) ? words : nil
    }

    /// A C string, cut off at `limit` bytes. Nil if it cannot be read.
    func text(_ address: UInt64, limit: Int = 256) -> String? {
        var bytes: [UInt8] = []
        var part: (UInt64, UInt64) = (0, 0)
        while bytes.count < limit {
            // Reads sixteen bytes at once, but none of the next page, which may not exist.
            let next = address &+ UInt64(bytes.count)
            let size = min(16, remote_page_size - Int(next % UInt64(remote_page_size)))
            guard withUnsafeMutableBytes(of: &part, { remote_reader_read(raw, next, $0.baseAddress!, size) }) else { return nil }
            let known = bytes.count
            withUnsafeBytes(of: &part) { bytes += $0.prefix(size).prefix { $0 != 0 } }
            if bytes.count - known < size { break }
        }
        return String(decoding: bytes.prefix(limit), as: UTF8.self)
    }
}

/// A piece of memory that was read at once, with a bit for each page that exists.
final class MemoryBlock {
    static let mostPages = 256
    private(set) var base: UInt64 = 0
    private(set) var size = 0
    let bytes: UnsafeMutableRawPointer
    let present: UnsafeMutablePointer<UInt8>

    init() {
        bytes = .allocate(byteCount: Self.mostPages * remote_page_size, alignment: 16)
        present = .allocate(capacity: Self.mostPages / 8)
    }

    deinit {
        bytes.deallocate()
        present.deallocate()
    }

    var range: Range<UInt64> { base..<base + UInt64(size) }

    /// Reads the existing pages of an address range. Returns their number.
    func read(_ range: Range<UInt64>, of process: RemoteProcess) -> Int {
        base = range.lowerBound
        size = Int(range.upperBound - range.lowerBound)
        return remote_read_present(process.raw, range.lowerBound, range.upperBound, bytes, present)
    }

    /// Calls `body` with each run of pages that exist: its first byte and its size.
    func forEachRun(_ body: (_ offset: Int, _ size: Int) -> Void) {
        let pageSize = remote_page_size
        let pages = size / pageSize
        var page = 0
        while page < pages {
            guard isPresent(page) else {
                page += 1
                continue
            }
            let first = page
            while page < pages, isPresent(page) { page += 1 }
            body(first * pageSize, (page - first) * pageSize)
        }
    }

    /// The words at an address. Nil if one of them is not in the block.
    func words(at address: UInt64, count: Int) -> UnsafePointer<UInt64>? {
        guard address >= base, address - base <= UInt64(size), UInt64(count * 8) <= UInt64(size) - (address - base) else { return nil }
        let (offset, pageSize) = (Int(address - base), remote_page_size)
        guard (offset / pageSize...(offset + count * 8 - 1) / pageSize).allSatisfy(isPresent) else { return nil }
        return UnsafePointer(bytes.advanced(by: offset).assumingMemoryBound(to: UInt64.self))
    }

    private func isPresent(_ page: Int) -> Bool { present[page / 8] >> (page % 8) & 1 == 1 }
}
