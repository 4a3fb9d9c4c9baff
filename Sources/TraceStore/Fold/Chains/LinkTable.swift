/// The links from antecedents to successors.
///
/// A task's antecedents are a ring of links, and so are its successors: the task's record refers to the last link, whose next one is the
/// first.
struct LinkTable: ~Copyable {
    private(set) var records: Pool<LinkRecord>
    /// Ids of antecedents that are not kept. Links from such antecedents refer to them.
    private var gone: Pool<UInt64>

    init(memory: PageMemory) {
        self.init(records: Pool(memory: memory), gone: Pool(memory: memory))
    }

    private init(records: consuming Pool<LinkRecord>, gone: consuming Pool<UInt64>) {
        self.records = records
        self.gone = gone
    }

    func copy() -> LinkTable { LinkTable(records: records.copy(), gone: gone.copy()) }

    var bytes: Int { records.bytes + gone.bytes }

    // MARK: Adding

    /// Links a new task to its only antecedent.
    @inline(__always)
    mutating func addOnly(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: Int32, _ antecedent: UnsafeMutablePointer<TaskRecord>
    ) {
        let (link, record) = records.add(LinkRecord(from: from, to: row))
        record.pointee.nextIn = link
        task.pointee.lastIn = link
        append(link, record, of: antecedent)
    }

    /// Puts a link into the task's ring after the last one. There the link is the first, unless the caller makes it the last.
    mutating func add(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: Int32, _ antecedent: UnsafeMutablePointer<TaskRecord>
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        let (link, record) = records.add(LinkRecord(from: from, to: row))
        append(link, record, of: antecedent)
        put(link, record, after: task)
        return (link, record)
    }

    /// Like ``add(_:_:from:_:)`` for an antecedent that is not kept.
    mutating func add(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, fromEvicted id: UInt64
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        let (link, record) = records.add(LinkRecord(from: ~gone.insert(id), to: row))
        put(link, record, after: task)
        return (link, record)
    }

    private func put(_ link: Int32, _ record: UnsafeMutablePointer<LinkRecord>, after task: UnsafeMutablePointer<TaskRecord>) {
        record.pointee.nextIn = link
        guard task.pointee.lastIn >= 0 else { return }
        let last = records.writing(task.pointee.lastIn)
        record.pointee.nextIn = last.pointee.nextIn
        last.pointee.nextIn = link
    }

    /// Appends a link to the antecedent's successors.
    @inline(__always)
    private func append(
        _ link: Int32, _ record: UnsafeMutablePointer<LinkRecord>, of antecedent: UnsafeMutablePointer<TaskRecord>
    ) {
        let last = antecedent.pointee.lastOut
        antecedent.pointee.lastOut = link
        guard last >= 0 else {
            record.pointee.nextOut = link
            record.pointee.previousOut = link
            return
        }
        let lastRecord = records.writing(last)
        let first = lastRecord.pointee.nextOut
        record.pointee.nextOut = first
        record.pointee.previousOut = last
        lastRecord.pointee.nextOut = link
        records.writing(first).pointee.previousOut = link
    }

    // MARK: Removing

    /// Removes a link of a task that is being evicted. Returns the antecedent if it is kept.
    mutating func remove(_ link: Int32, _ tasks: borrowing TaskTable) -> UnsafeMutablePointer<TaskRecord>? {
        let record = records.writing(link).pointee
        records.remove(link)
        guard record.from >= 0 else {
            if record.from != LinkRecord.evictedTogether { gone.remove(~record.from) }
            return nil
        }
        let antecedent = tasks.records.writing(record.from)
        if record.nextOut == link {
            antecedent.pointee.lastOut = -1
        } else {
            records.writing(record.previousOut).pointee.nextOut = record.nextOut
            records.writing(record.nextOut).pointee.previousOut = record.previousOut
            if antecedent.pointee.lastOut == link { antecedent.pointee.lastOut = record.previousOut }
        }
        return antecedent
    }

    /// Cuts a link from an antecedent that is being evicted. Only a successor that stays keeps the antecedent's id.
    @inline(__always)
    mutating func cut(_ link: UnsafeMutablePointer<LinkRecord>, from id: UInt64, staysSuccessor: Bool) {
        link.pointee.from = staysSuccessor ? ~gone.insert(id) : LinkRecord.evictedTogether
        link.pointee.nextOut = -1
        link.pointee.previousOut = -1
    }

    // MARK: Reading

    /// The antecedent's id, even if the antecedent is no longer kept.
    func antecedent(of link: LinkRecord, _ tasks: borrowing TaskTable) -> UInt64 {
        link.from >= 0 ? tasks.records.reading(link.from).pointee.id : gone.reading(~link.from).pointee
    }

    /// The id of the task's first antecedent; nil if it has none.
    func firstAntecedent(of task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) -> UInt64? {
        task.pointee.lastIn < 0 ? nil : antecedent(of: records.reading(firstIn(of: task)).pointee, tasks)
    }

    /// The task's first link to an antecedent; -1 if it has none.
    @inline(__always)
    func firstIn(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let last = task.pointee.lastIn
        return last < 0 ? -1 : records.reading(last).pointee.nextIn
    }

    /// The task's first link to a successor; -1 if it has none.
    @inline(__always)
    func firstOut(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let last = task.pointee.lastOut
        return last < 0 ? -1 : records.reading(last).pointee.nextOut
    }

    /// Calls `body` with the row of each successor.
    @inline(__always)
    func forEachSuccessor(of task: UnsafePointer<TaskRecord>, _ body: (_ row: Int32) -> Void) {
        let last = task.pointee.lastOut
        var link = firstOut(of: task)
        while link >= 0 {
            let record = records.reading(link).pointee
            body(record.to)
            link = link == last ? -1 : record.nextOut
        }
    }
}

/// A link from an antecedent to a successor.
struct LinkRecord: BitwiseCopyable {
    /// Marks an antecedent that is being evicted together with its successor.
    static var evictedTogether: Int32 { .min }
    private static var innerBit: Int32 { 1 << 30 }
    private static var holdBit: Int32 { 1 << 29 }

    /// The antecedent's row. If the antecedent is not kept, the complement of its id's index in the table of such ids.
    var from: Int32
    private var toBits: Int32
    var nextIn: Int32 = -1
    /// Both -1 if the antecedent is not kept.
    var nextOut: Int32 = -1
    var previousOut: Int32 = -1

    init(from: Int32, to: Int32) {
        self.from = from
        toBits = to
    }

    var to: Int32 { toBits & (Self.holdBit - 1) }

    /// Whether the antecedent is the task that the successor's body returned.
    var isInner: Bool {
        get { toBits & Self.innerBit != 0 }
        set { toBits = newValue ? toBits | Self.innerBit : toBits & ~Self.innerBit }
    }

    /// Whether the link keeps the antecedent's chain from eviction.
    var isHolding: Bool {
        get { toBits & Self.holdBit != 0 }
        set { toBits = newValue ? toBits | Self.holdBit : toBits & ~Self.holdBit }
    }
}
