import TaskEvents

/// From a task's id to its row, without hashing: ids are given one after the other, so that pages of them are dense.
///
/// It knows an id that has been evicted from one that was never seen, and a page whose ids are all gone costs a pointer.
struct IDMap: ~Copyable {
    enum Place {
        case unseen, evicted
        case row(Int32)
    }

    private typealias Cells = UnsafeMutablePointer<Int32>
    static var pageSize: Int { 4096 }
    /// Beyond this an id is no sequential number but damage.
    static var limit: UInt64 { 1 << 36 }

    private struct Page: BitwiseCopyable {
        /// A row and one, 0 for an id that was not seen, -1 for an evicted one; nil with `isEvicted` where all are gone.
        var cells: UnsafeMutablePointer<Int32>?
        var kept: Int32 = 0
        var isEvicted = false
    }

    private var pages: UnsafeMutablePointer<Page>
    private var pageCount = 0
    private var pageRoom = 64
    /// No page before this one can be given back.
    private var sweep = 0
    private(set) var allocatedPages = 0

    init() {
        pages = .allocate(capacity: pageRoom)
    }

    deinit {
        for page in 0..<pageCount { pages[page].cells?.deallocate() }
        pages.deallocate()
    }

    var bytes: Int { allocatedPages * Self.pageSize * MemoryLayout<Int32>.stride + pageRoom * MemoryLayout<Page>.stride }

    @inline(__always)
    func place(of id: UInt64) -> Place {
        let number = Int(id >> 12)
        guard number < pageCount else { return .unseen }
        guard let cells = pages[number].cells else { return pages[number].isEvicted ? .evicted : .unseen }
        let cell = cells[Int(id & 4095)]
        return cell > 0 ? .row(cell - 1) : cell == 0 ? .unseen : .evicted
    }

    /// The id has not been seen.
    mutating func set(_ id: UInt64, row: Int32) {
        let number = Int(id >> 12)
        if number >= pageCount { reach(number) }
        if pages[number].cells == nil {
            let cells = Cells.allocate(capacity: Self.pageSize)
            cells.initialize(repeating: 0, count: Self.pageSize)
            pages[number].cells = cells
            allocatedPages += 1
        }
        pages[number].cells![Int(id & 4095)] = row + 1
        pages[number].kept += 1
    }

    mutating func evict(_ id: UInt64) {
        let number = Int(id >> 12)
        pages[number].cells![Int(id & 4095)] = -1
        pages[number].kept -= 1
        giveBack(number)
    }

    /// The first id from `id` on that is kept, and its row.
    func next(from id: UInt64) -> (id: UInt64, row: Int32)? {
        var number = Int(clamping: id >> 12)
        var index = Int(id & 4095)
        while number < pageCount {
            if let cells = pages[number].cells, pages[number].kept > 0 {
                while index < Self.pageSize {
                    if cells[index] > 0 { return (UInt64(number) << 12 | UInt64(index), cells[index] - 1) }
                    index += 1
                }
            }
            index = 0
            number += 1
        }
        return nil
    }

    private mutating func reach(_ number: Int) {
        if number >= pageRoom {
            let room = max(pageRoom * 2, number + 1)
            let larger = UnsafeMutablePointer<Page>.allocate(capacity: room)
            larger.moveInitialize(from: pages, count: pageCount)
            pages.deallocate()
            pages = larger
            pageRoom = room
        }
        (pages + pageCount).initialize(repeating: Page(), count: number + 1 - pageCount)
        pageCount = number + 1
        while sweep < pageCount - 2 {
            giveBack(sweep)
            sweep += 1
        }
    }

    /// Ids come a little out of order, so the last two pages stay.
    private mutating func giveBack(_ number: Int) {
        guard number < pageCount - 2, pages[number].kept == 0, let cells = pages[number].cells else { return }
        cells.deallocate()
        pages[number] = Page(cells: nil, kept: 0, isEvicted: true)
        allocatedPages -= 1
    }
}
