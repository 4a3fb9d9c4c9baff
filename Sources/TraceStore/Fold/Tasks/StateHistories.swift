/// The histories of tasks that suspend, or that wait in a queue more than once.
///
/// An index below -1 stands for a settled history, which is smaller and is restored before it changes; -1 for none.
struct StateHistories: ~Copyable {
    private(set) var open: Pool<StateHistory>
    private var settled: Pool<SettledHistory>

    init(memory: PageMemory) {
        self.init(open: Pool(memory: memory), settled: Pool(memory: memory))
    }

    private init(open: consuming Pool<StateHistory>, settled: consuming Pool<SettledHistory>) {
        self.open = open
        self.settled = settled
    }

    func copy() -> StateHistories { StateHistories(open: open.copy(), settled: settled.copy()) }

    var bytes: Int { open.bytes + settled.bytes }

    mutating func add() -> (index: Int32, record: UnsafeMutablePointer<StateHistory>) { open.add(StateHistory()) }

    /// A settled history of a task that was created at `created`.
    func settled(_ index: Int32, since created: UInt64) -> StateHistory {
        settled.reading(Self.other(index)).pointee.history(since: created)
    }

    /// Settles an open history if its times permit.
    mutating func settle(_ index: inout Int32, since created: UInt64) {
        guard index >= 0, let history = SettledHistory(open.reading(index).pointee, since: created) else { return }
        open.remove(index)
        index = Self.other(settled.insert(history))
    }

    /// Restores a settled history, and returns its new index.
    mutating func restore(_ index: Int32, since created: UInt64) -> Int32 {
        let history = settled(index, since: created)
        settled.remove(Self.other(index))
        return open.insert(history)
    }

    mutating func remove(_ index: Int32) {
        if index >= 0 { open.remove(index) } else if index < -1 { settled.remove(Self.other(index)) }
    }

    /// The index among the settled histories of a history's index, and the reverse.
    private static func other(_ index: Int32) -> Int32 { -2 - index }
}
