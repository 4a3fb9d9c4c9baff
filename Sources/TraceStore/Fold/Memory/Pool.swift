/// A table of plain records in pages that never move. Freed records form a free list.
///
/// Growing copies only the list of pages, so a pointer to a record stays valid until the record is freed or the table is copied. Copies
/// share pages until one of them writes to a page.
struct Pool<Element: BitwiseCopyable>: ~Copyable {
    private static var pageBits: Int32 { 10 }
    private static var pageSize: Int { 1 << 10 }

    private var pages: PageTable
    /// The number of records ever used, including those in the free list.
    private var used: Int32 = 0
    private var free: Int32 = -1
    private(set) var count = 0

    init(memory: PageMemory) {
        self.init(pages: PageTable(pageBytes: Self.pageSize * MemoryLayout<Element>.stride, memory: memory))
    }

    private init(pages: consuming PageTable) {
        self.pages = pages
    }

    func copy() -> Pool {
        var copy = Pool(pages: pages.copy())
        copy.used = used
        copy.free = free
        copy.count = count
        return copy
    }

    /// The number of records that the pages have room for.
    var capacity: Int { pages.count &* Self.pageSize }

    var bytes: Int { capacity * MemoryLayout<Element>.stride }

    /// A record for writing, used by the fold. The record's page becomes this table's own. A method, because swiftc 6.3 fails at a write
    /// through a subscript of a noncopyable type when it builds for the thread sanitizer.
    @inline(__always)
    func writing(_ index: Int32) -> UnsafeMutablePointer<Element> {
        record(at: index, in: pages.writing(Int(index >> Self.pageBits)))
    }

    /// A record for reading, used by the views. A shared page stays shared. Valid until the next change.
    @inline(__always)
    func reading(_ index: Int32) -> UnsafePointer<Element> {
        UnsafePointer(record(at: index, in: pages.reading(Int(index >> Self.pageBits)).unsafelyUnwrapped))
    }

    @inline(__always)
    private func record(at index: Int32, in page: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Element> {
        page.assumingMemoryBound(to: Element.self) + Int(index & (1 << Self.pageBits - 1))
    }

    /// Stores a new record and returns its index.
    @inline(__always)
    mutating func insert(_ element: Element) -> Int32 {
        add(element).index
    }

    /// Stores a new record and returns its index and a pointer for writing.
    @inline(__always)
    mutating func add(_ element: Element) -> (index: Int32, record: UnsafeMutablePointer<Element>) {
        let index = free
        let record: UnsafeMutablePointer<Element>
        if index >= 0 {
            record = writing(index)
            free = UnsafeRawPointer(record).load(as: Int32.self)
            record.initialize(to: element)
            count &+= 1
            return (index, record)
        }
        if Int(used) == capacity { addPage() }
        record = writing(used)
        record.initialize(to: element)
        used &+= 1
        count &+= 1
        return (used &- 1, record)
    }

    @inline(__always)
    mutating func remove(_ index: Int32) {
        UnsafeMutableRawPointer(writing(index)).storeBytes(of: free, as: Int32.self)
        free = index
        count &-= 1
    }

    @inline(never)
    private mutating func addPage() {
        precondition(pages.count < Int(Int32.max) / Self.pageSize, "a table of \(Element.self) outgrew its index")
        pages.append(isAllocated: true)
    }
}
