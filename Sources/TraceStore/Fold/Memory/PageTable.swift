import Synchronization

/// Pages of memory that several tables may share. A table that writes to a shared page first makes its own copy of the page.
///
/// A copy of a table therefore costs a list of pointers and the pages that differ. A page does not move while only its own table writes to
/// it, so a pointer from ``writing(_:)`` stays valid until the next ``copy()``. Tables that share pages belong to one thread.
struct PageTable: ~Copyable {
    /// The header before a page counts the tables that hold the page. It is as long as a cache line, so that the page starts on one.
    private static var headerBytes: Int { 64 }
    /// A flag in an entry, which is a pointer to a page: other tables may hold the page too.
    private static var sharedBit: UInt { 1 }

    private let pageBytes: Int
    private let memory: PageMemory
    private var entries: UnsafeMutablePointer<UInt>
    private var room: Int
    private(set) var count = 0
    /// Never used. A struct that contains an atomic is passed by address; without one, swiftc 6.3 copies the tables for many calls.
    private let isPassedByAddress = Atomic(false)

    init(pageBytes: Int, memory: PageMemory) {
        self.init(pageBytes: pageBytes, memory: memory, room: 16)
    }

    private init(pageBytes: Int, memory: PageMemory, room: Int) {
        self.pageBytes = pageBytes
        self.memory = memory
        self.room = room
        entries = .allocate(capacity: room)
    }

    deinit {
        for page in 0..<count { Self.release(entries[page], pageBytes, memory) }
        entries.deallocate()
    }

    /// The page for reading; nil if it has been freed.
    @inline(__always)
    func reading(_ page: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: entries[page] & ~Self.sharedBit)
    }

    /// The page for writing, owned by this table alone. The page must exist.
    @inline(__always)
    func writing(_ page: Int) -> UnsafeMutableRawPointer {
        let entry = entries[page]
        guard entry & Self.sharedBit == 0 else { return Self.own(entries + page, pageBytes, memory) }
        return UnsafeMutableRawPointer(bitPattern: entry).unsafelyUnwrapped
    }

    /// Appends a page of uninitialised memory, or an entry without a page.
    mutating func append(isAllocated: Bool) {
        if count == room {
            let larger = UnsafeMutablePointer<UInt>.allocate(capacity: room * 2)
            larger.moveInitialize(from: entries, count: count)
            entries.deallocate()
            entries = larger
            room *= 2
        }
        // A table that outgrows its first page fills the next ones, as a rule.
        (entries + count).initialize(to: isAllocated ? Self.allocate(pageBytes, memory, isPopulated: count > 0) : 0)
        count += 1
    }

    /// Replaces the entry with a new page, or frees its page.
    mutating func set(_ page: Int, isAllocated: Bool) {
        Self.release(entries[page], pageBytes, memory)
        entries[page] = isAllocated ? Self.allocate(pageBytes, memory, isPopulated: page > 0) : 0
    }

    /// A table that shares all pages with this one.
    func copy() -> PageTable {
        var copy = PageTable(pageBytes: pageBytes, memory: memory, room: room)
        for page in 0..<count where entries[page] != 0 {
            entries[page] |= Self.sharedBit
            Self.holders(of: entries[page]).pointee += 1
        }
        copy.entries.initialize(from: entries, count: count)
        copy.count = count
        return copy
    }

    private static func allocate(_ pageBytes: Int, _ memory: PageMemory, isPopulated: Bool) -> UInt {
        let base = memory.map(headerBytes + pageBytes, isPopulated: isPopulated)
        base.storeBytes(of: 1, as: Int.self)
        return UInt(bitPattern: base + headerBytes)
    }

    /// Static, because a method would receive the table: every access to a page would then copy the table onto the stack.
    @inline(never)
    private static func own(_ entry: UnsafeMutablePointer<UInt>, _ pageBytes: Int, _ memory: PageMemory) -> UnsafeMutableRawPointer {
        let shared = entry.pointee
        let old = UnsafeMutableRawPointer(bitPattern: shared & ~sharedBit).unsafelyUnwrapped
        if holders(of: shared).pointee == 1 {
            entry.pointee = UInt(bitPattern: old)
            return old
        }
        let new = allocate(pageBytes, memory, isPopulated: true)
        let bytes = UnsafeMutableRawPointer(bitPattern: new).unsafelyUnwrapped
        bytes.copyMemory(from: old, byteCount: pageBytes)
        holders(of: shared).pointee -= 1
        entry.pointee = new
        return bytes
    }

    private static func holders(of entry: UInt) -> UnsafeMutablePointer<Int> {
        let page = UnsafeMutableRawPointer(bitPattern: entry & ~sharedBit).unsafelyUnwrapped
        return (page - headerBytes).assumingMemoryBound(to: Int.self)
    }

    private static func release(_ entry: UInt, _ pageBytes: Int, _ memory: PageMemory) {
        guard entry != 0 else { return }
        let holders = holders(of: entry)
        holders.pointee -= 1
        guard holders.pointee == 0 else { return }
        memory.unmap(UnsafeMutableRawPointer(holders), headerBytes + pageBytes)
    }
}
