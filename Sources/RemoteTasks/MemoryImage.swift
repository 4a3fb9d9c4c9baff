import CRemoteProcess
import Glibc

/// A copy of the pages of a process's writable memory that may have addresses.
final class MemoryCopy {
    /// Larger copies are not made.
    static let mostBytes: UInt64 = 4 << 30

    fileprivate private(set) var raw: OpaquePointer?

    deinit { remote_image_free(raw) }

    /// Copies the memory, which takes less time from the second copy on. False if the process has too much memory, or if its limit passes.
    func take(from process: RemoteProcess) -> Bool {
        raw = remote_image_take(process.raw, Self.mostBytes, raw)
        return raw != nil
    }
}

/// A copy of a process's writable memory, with the blocks of the C library's allocator.
final class MemoryImage {
    struct Reference {
        let place: UInt64
        let target: UInt64
    }

    struct Block {
        let address: UInt64
        let size: UInt64
        let isFree: Bool

        var range: Range<UInt64> { address..<address + size }
    }

    private let copy: MemoryCopy
    private let blocks: remote_blocks

    /// The copy does not change while this image exists.
    init(_ copy: MemoryCopy, of process: RemoteProcess) {
        self.copy = copy
        blocks = remote_image_blocks(process.raw, copy.raw)
    }

    deinit { free(blocks.list) }

    /// Whether all blocks of the allocator are known.
    var hasWholeHeap: Bool { blocks.is_whole }

    func word(_ address: UInt64) -> UInt64? {
        var word: UInt64 = 0
        return remote_image_word(copy.raw, address, &word) ? word : nil
    }

    /// The block that contains an address.
    func block(at address: UInt64) -> Block? {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks.list[middle].address <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let block = blocks.list[low - 1]
        return address - block.address < block.size ? Block(address: block.address, size: block.size, isFree: block.is_free) : nil
    }

    /// The blocks in use whose first word is wanted.
    func blocks(where isWanted: (UInt64) -> Bool) -> [Block] {
        (0..<blocks.count).compactMap { index in
            let block = blocks.list[index]
            guard !block.is_free, let first = word(block.address), first != 0, isWanted(first) else { return nil }
            return Block(address: block.address, size: block.size, isFree: false)
        }
    }

    /// The words that equal one of the addresses.
    func references(to addresses: some Sequence<UInt64>) -> [Reference] {
        let targets = Set(addresses).sorted()
        return collect(room: 4 * targets.count + 1024) { remote_image_find(copy.raw, targets, targets.count, $0, $1) }
    }

    /// The words, also those at half a word's alignment, that point into one of the ranges, which do not overlap.
    func references(into ranges: [Range<UInt64>]) -> [Reference] {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        let ranges = sorted.map { remote_range(low: $0.lowerBound, high: $0.upperBound, offset: 0) }
        return collect(room: 4 * ranges.count + 1024) { remote_image_find_inside(copy.raw, ranges, ranges.count, $0, $1) }
    }

    private func collect(room: Int, _ find: (UnsafeMutablePointer<remote_reference>?, Int) -> Int) -> [Reference] {
        var found = [remote_reference](repeating: remote_reference(), count: room)
        var count = find(&found, room)
        if count > room {
            found = [remote_reference](repeating: remote_reference(), count: count)
            count = find(&found, count)
        }
        return found.prefix(count).map { Reference(place: $0.place, target: $0.target) }
    }
}
