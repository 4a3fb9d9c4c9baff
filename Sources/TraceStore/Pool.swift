/// A table of plain records in pages that never move, with a free list through the freed ones.
///
/// Growing copies nothing but the list of pages, so that a pointer into the table stays good until its record is freed.
struct Pool<Element: BitwiseCopyable>: ~Copyable {
    private static var pageBits: Int32 { 10 }
    private static var pageSize: Int { 1 << 10 }

    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private var pageCount = 0
    private var pageRoom = 16
    /// Records ever used; the free list holds some of them.
    private var used: Int32 = 0
    private var free: Int32 = -1
    private(set) var count = 0

    init() {
        pages = .allocate(capacity: 16)
    }

    deinit {
        for page in 0..<pageCount { pages[page].deallocate() }
        pages.deallocate()
    }

    /// Records that there is memory for.
    var capacity: Int { pageCount * Self.pageSize }

    var bytes: Int { capacity * MemoryLayout<Element>.stride }

    @inline(__always)
    subscript(_ index: Int32) -> UnsafeMutablePointer<Element> {
        pages[Int(index >> Self.pageBits)] + Int(index & (1 << Self.pageBits - 1))
    }

    /// Takes a record and sets it.
    @inline(__always)
    mutating func insert(_ element: Element) -> Int32 {
        let index: Int32
        if free >= 0 {
            index = free
            free = UnsafeRawPointer(self[index]).load(as: Int32.self)
        } else {
            index = used
            if Int(index) == capacity { addPage() }
            used += 1
        }
        self[index].initialize(to: element)
        count += 1
        return index
    }

    mutating func remove(_ index: Int32) {
        UnsafeMutableRawPointer(self[index]).storeBytes(of: free, as: Int32.self)
        free = index
        count -= 1
    }

    private mutating func addPage() {
        precondition(pageCount < Int(Int32.max) / Self.pageSize, "a table of \(Element.self) outgrew its index")
        if pageCount == pageRoom {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: pageRoom * 2)
            larger.moveInitialize(from: pages, count: pageCount)
            pages.deallocate()
            pages = larger
            pageRoom *= 2
        }
        (pages + pageCount).initialize(to: .allocate(capacity: Self.pageSize))
        pageCount += 1
    }
}
