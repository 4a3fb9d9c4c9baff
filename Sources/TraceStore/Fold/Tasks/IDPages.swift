/// Maps ids to rows without hashing. Ids are assigned one after the other, so the pages of the map are dense.
///
/// The map distinguishes evicted ids from unseen ones. A page whose ids are all evicted costs one pointer. Copies share pages until one of
/// them writes to a page.
struct IDPages: ~Copyable {
    enum Lookup {
        case unseen, evicted
        case row(Int32)
    }

    static var pageSize: Int { 4096 }

    /// The cells of each page: the row plus one, 0 for an unseen id, -1 for an evicted one. A last cell counts the page's kept ids. There
    /// is no page for a range whose ids are all unseen or all evicted.
    private var cells: PageTable
    /// By page: whether all ids of the page are evicted and the page is freed.
    private var isEvicted: [Bool] = []
    /// The first page that may still have to be freed.
    private var sweep = 0
    private(set) var allocatedPages = 0

    init(memory: PageMemory) {
        self.init(cells: PageTable(pageBytes: (Self.pageSize + 1) * MemoryLayout<Int32>.stride, memory: memory))
    }

    private init(cells: consuming PageTable) {
        self.cells = cells
    }

    func copy() -> IDPages {
        var copy = IDPages(cells: cells.copy())
        copy.isEvicted = isEvicted
        copy.sweep = sweep
        copy.allocatedPages = allocatedPages
        return copy
    }

    var bytes: Int { allocatedPages * Self.pageSize * MemoryLayout<Int32>.stride + isEvicted.capacity }

    /// Nil if there is no page for the id.
    @inline(__always)
    func known(_ id: UInt64) -> Lookup? {
        let number = Int(id >> 12)
        guard number < cells.count, let page = cells.reading(number) else { return nil }
        let cell = Self.cells(page)[Int(id & 4095)]
        return cell > 0 ? .row(cell - 1) : cell == 0 ? .unseen : .evicted
    }

    func lookup(_ id: UInt64) -> Lookup {
        if let known = known(id) { return known }
        let number = Int(id >> 12)
        return number < isEvicted.count && isEvicted[number] ? .evicted : .unseen
    }

    /// Adds an id, which must be unseen.
    mutating func set(_ id: UInt64, row: Int32) {
        let number = Int(id >> 12)
        if number >= cells.count { reach(number) }
        if cells.reading(number) == nil {
            cells.set(number, isAllocated: true)
            Self.cells(cells.writing(number)).initialize(repeating: 0, count: Self.pageSize + 1)
            allocatedPages += 1
        }
        let page = Self.cells(cells.writing(number))
        page[Int(id & 4095)] = row + 1
        page[Self.pageSize] += 1
    }

    mutating func evict(_ id: UInt64) {
        let number = Int(id >> 12)
        let page = Self.cells(cells.writing(number))
        page[Int(id & 4095)] = -1
        page[Self.pageSize] -= 1
        if page[Self.pageSize] == 0 { giveBack(number) }
    }

    /// The first kept id from `id` on, and its row.
    func next(from id: UInt64) -> (id: UInt64, row: Int32)? {
        var number = Int(clamping: id >> 12)
        var index = Int(id & 4095)
        while number < cells.count {
            if let page = cells.reading(number), Self.cells(page)[Self.pageSize] > 0 {
                let cells = Self.cells(page)
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

    /// Collects the rows of kept ids from `id` on, in ascending order of ids, and moves `id` past them.
    func collect(from id: inout UInt64, into rows: UnsafeMutablePointer<Int32>, limit: Int) -> Int {
        var number = Int(clamping: id >> 12)
        var index = Int(id & 4095)
        var count = 0
        while number < cells.count {
            if let page = cells.reading(number), Self.cells(page)[Self.pageSize] > 0 {
                let cells = Self.cells(page)
                while index < Self.pageSize {
                    let cell = cells[index]
                    index += 1
                    guard cell > 0 else { continue }
                    rows[count] = cell - 1
                    count += 1
                    guard count < limit else {
                        id = UInt64(number) << 12 + UInt64(index)
                        return count
                    }
                }
            }
            index = 0
            number += 1
        }
        id = max(id, UInt64(number) << 12)
        return count
    }

    private static func cells(_ page: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Int32> {
        page.assumingMemoryBound(to: Int32.self)
    }

    private mutating func reach(_ number: Int) {
        while cells.count <= number { cells.append(isAllocated: false) }
        isEvicted.append(contentsOf: repeatElement(false, count: number + 1 - isEvicted.count))
        while sweep < cells.count - 2 {
            giveBack(sweep)
            sweep += 1
        }
    }

    /// Frees an empty page. The last two pages stay, because ids arrive slightly out of order.
    private mutating func giveBack(_ number: Int) {
        guard number < cells.count - 2, let page = cells.reading(number), Self.cells(page)[Self.pageSize] == 0 else { return }
        cells.set(number, isAllocated: false)
        isEvicted[number] = true
        allocatedPages -= 1
    }
}
