import TaskEvents

/// The tasks that await each other's values. They are stored as ids, which do not keep awaited tasks from eviction.
extension Fold {
    /// The most awaited tasks or awaiters that are kept per task; the latest are kept. It bounds a task that awaits others for as long as
    /// the program runs, and a task that all others await.
    private static var mostAwaits: UInt16 { 1024 }

    /// Records that a task awaits another task's value, or has received it.
    mutating func noteAwait(of id: UInt64, by task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) {
        guard id != task.pointee.id, let row = row(for: id, at: time) else { return }
        let waiting = extra(of: task)
        guard mention(id, &waiting.pointee.lastAwaited) else { return }
        keepLatest(&waiting.pointee.lastAwaited, &waiting.pointee.awaitedCount)
        let awaited = extra(of: tasks.writing(row))
        mention(task.pointee.id, &awaited.pointee.lastAwaiter)
        keepLatest(&awaited.pointee.lastAwaiter, &awaited.pointee.awaiterCount)
    }

    private mutating func keepLatest(_ last: inout Int32, _ count: inout UInt16) {
        count += 1
        guard count > Self.mostAwaits else { return }
        count -= 1
        let first = mentions.reading(last).pointee.next
        mentions.writing(last).pointee.next = mentions.reading(first).pointee.next
        mentions.remove(first)
    }

    /// The task whose value was awaited last, if it has not ended: then it is still awaited.
    func awaitedNow(by task: UnsafePointer<TaskRecord>) -> UInt64? {
        guard task.pointee.extra >= 0 else { return nil }
        let last = extras.reading(task.pointee.extra).pointee.lastAwaited
        guard last >= 0 else { return nil }
        let id = mentions.reading(last).pointee.id
        guard case .row(let row) = ids.place(of: id), !tasks.reading(row).pointee.state.hasEnded else { return nil }
        return id
    }

    // MARK: Lists of tasks

    /// Appends a task to a list unless it is the list's last task. A list is a ring known by its last record. Returns whether the task was
    /// added.
    @discardableResult
    mutating func mention(_ id: UInt64, _ last: inout Int32) -> Bool {
        if last >= 0, mentions.reading(last).pointee.id == id { return false }
        let mention = mentions.insert(MentionRecord(id: id))
        mentions.writing(mention).pointee.next = last >= 0 ? mentions.reading(last).pointee.next : mention
        if last >= 0 { mentions.writing(last).pointee.next = mention }
        last = mention
        return true
    }

    mutating func freeMentions(_ last: Int32) {
        var mention = mentions.reading(last).pointee.next
        while true {
            let next = mentions.reading(mention).pointee.next
            mentions.remove(mention)
            if mention == last { break }
            mention = next
        }
    }
}
