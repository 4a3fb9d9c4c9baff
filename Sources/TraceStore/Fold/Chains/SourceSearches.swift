/// A search for the task from which a failed Swift task has its error: from one task that ended with the same error to the one before it.
struct SourceSearch {
    /// The task whose error's source is looked for.
    var task: UInt64
    /// The task that is looked at next.
    var carrier: UInt64
    var stepsLeft: Int
}

/// Searches that wait for the end of a task which had the error before, and whose end another thread has yet to record.
struct SourceSearches {
    /// Bounds what a damaged trace takes, in which such a task never ends.
    private static let most = 4096

    private var searches: [UInt64: [SourceSearch]] = [:]
    private var count = 0

    var isEmpty: Bool { searches.isEmpty }

    mutating func add(_ search: SourceSearch) {
        guard count < Self.most else { return }
        searches[search.carrier, default: []].append(search)
        count += 1
    }

    mutating func remove(waitingFor carrier: UInt64) -> [SourceSearch] {
        let found = searches.removeValue(forKey: carrier) ?? []
        count -= found.count
        return found
    }
}
