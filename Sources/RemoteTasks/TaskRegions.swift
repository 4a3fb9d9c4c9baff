/// The memory of tasks: their headers, and the slabs for the frames of their asynchronous functions.
struct TaskRegions {
    struct Region {
        let range: Range<UInt64>
        let task: UInt64
        let part: Part
    }

    enum Part {
        /// The runtime's own fields, which link tasks to each other.
        case header
        /// Frames of asynchronous functions and what the task has captured.
        case frames
        /// The rest of a slab.
        case unused
    }

    /// In ascending order of their beginnings. A region may lie inside another: an `async let` task is in its parent's memory.
    private var regions: [Region] = []
    /// The distance between the beginnings of a region and of one that contains it.
    private var longest: UInt64 = 0

    private static let mostSlabs = 4096
    /// The header of a slab.
    private static let slabHeader: UInt64 = 32
    /// The fragments after a task's header: those of a child and of a task with a result.
    private static let fragments: UInt64 = 32

    init(of tasks: [RemoteTask], _ runtime: ConcurrencyRuntime, _ image: MemoryImage) {
        let layout = runtime.layout
        for task in tasks {
            let header = task.address..<task.address + runtime.taskSize + (task.parent == 0 ? 0 : Self.fragments)
            add(header, task, .header)
            if let block = image.block(at: task.address), block.address == task.address {
                add(block.range, task, .frames)
            }
            var slab = image.word(task.address + UInt64(layout.firstSlab)) ?? 0
            for _ in 0..<Self.mostSlabs where slab != 0 {
                guard let sizes = image.word(slab &+ UInt64(layout.slabCapacity)) else { break }
                let start = slab + Self.slabHeader
                let (capacity, used) = (sizes & 0xffff_ffff, sizes >> 32)
                add(slab..<start + min(used, capacity), task, .frames)
                if used < capacity { add(start + used..<start + capacity, task, .unused) }
                slab = image.word(slab &+ UInt64(layout.nextSlab)) ?? 0
            }
        }
        regions.sort { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }
    }

    private mutating func add(_ range: Range<UInt64>, _ task: RemoteTask, _ part: Part) {
        regions.append(Region(range: range, task: task.address, part: part))
        longest = max(longest, range.upperBound - range.lowerBound)
    }

    /// The innermost region that contains an address.
    func region(at address: UInt64) -> Region? {
        var (low, high) = (0, regions.count)
        while low < high {
            let middle = (low + high) / 2
            if regions[middle].range.lowerBound <= address { low = middle + 1 } else { high = middle }
        }
        while low > 0, address - regions[low - 1].range.lowerBound < longest {
            low -= 1
            if regions[low].range.contains(address) { return regions[low] }
        }
        return nil
    }
}
