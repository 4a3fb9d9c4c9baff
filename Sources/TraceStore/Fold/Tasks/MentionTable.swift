/// Lists of tasks that belong to another task: those that read its error, those that it awaits, and those that await it.
///
/// A list is a ring, known by its last record. Tasks are listed by id, which does not keep them from eviction.
struct MentionTable: ~Copyable {
    private(set) var records: Pool<MentionRecord>

    func copy() -> MentionTable { MentionTable(records: records.copy()) }

    /// Appends a task to a list unless it is the list's last task. Returns whether it was added.
    @discardableResult
    mutating func append(_ id: UInt64, to last: inout Int32, isProven: Bool = false) -> Bool {
        if last >= 0, records.reading(last).pointee.id == id {
            if isProven { records.writing(last).pointee.isProven = true }
            return false
        }
        let (index, record) = records.add(MentionRecord(id: id, isProven: isProven))
        record.pointee.next = last >= 0 ? records.reading(last).pointee.next : index
        if last >= 0 { records.writing(last).pointee.next = index }
        last = index
        return true
    }

    /// Removes the first task of a list of at least two.
    mutating func removeFirst(of last: Int32) {
        let first = records.reading(last).pointee.next
        records.writing(last).pointee.next = records.reading(first).pointee.next
        records.remove(first)
    }

    /// Whether the list has a record of this task for which `condition` holds.
    func contains(_ id: UInt64, in last: Int32, where condition: (MentionRecord) -> Bool = { _ in true }) -> Bool {
        guard last >= 0 else { return false }
        var index = last
        repeat {
            let record = records.reading(index).pointee
            if record.id == id, condition(record) { return true }
            index = record.next
        } while index != last
        return false
    }

    mutating func removeAll(of last: Int32) {
        var index = records.reading(last).pointee.next
        while true {
            let next = records.reading(index).pointee.next
            records.remove(index)
            if index == last { return }
            index = next
        }
    }
}

/// An element of another task's list.
struct MentionRecord: BitwiseCopyable {
    var id: UInt64
    var next: Int32 = -1
    /// Whether an event proves the read. Otherwise the task awaited the value before it was there.
    var isProven = false
}
