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

    /// Calls `body` with consecutive words, without allocating memory. Nil if they cannot be read.
    func withWords<Result>(_ address: UInt64, count: Int, _ body: (UnsafeMutableBufferPointer<UInt64>) -> Result?) -> Result? {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { words in
            guard let base = words.baseAddress, remote_reader_read(raw, address, base, count * 8) else { return nil }
            return body(words)
        }
    }

    /// A C string, cut off at `limit` bytes. Nil if it cannot be read.
    func text(_ address: UInt64, limit: Int = 256) -> String? {
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { buffer in
            var count = 0
            while count < limit, let base = buffer.baseAddress {
                // Reads a few bytes at once, but none of the next page, which may not exist.
                let next = address &+ UInt64(count)
                let size = min(32, limit - count, remote_page_size - Int(next % UInt64(remote_page_size)))
                guard remote_reader_read(raw, next, base + count, size) else { return nil }
                let end = (count..<count + size).first { buffer[$0] == 0 }
                if let end { return String(decoding: buffer[..<end], as: UTF8.self) }
                count += size
            }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

/// A piece of memory that was read at once, with a bit for each page that exists.
final class MemoryBlock {
    /// The bytes that were read are looked at while a processor's second cache still holds them.
    static let mostPages = 64
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
