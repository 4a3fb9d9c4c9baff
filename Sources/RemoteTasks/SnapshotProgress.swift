/// Several looks at one process, which tell a task that goes on from one that is stuck. One look shows a moment: a task that polls waits at
/// most moments, as a task that nothing resumes does.
struct SnapshotProgress {
    /// In the order of their times. The last one is that of the report.
    private let looks: [Snapshot]
    private let symbols: SnapshotSymbols
    /// Whether no timer of a look is there at the next one. Each task that sleeps has a timer, so none slept from one look to the other.
    private let hasWokenAll: [Bool]

    init(_ snapshot: Snapshot, _ symbols: SnapshotSymbols, since earlier: [Snapshot]) {
        looks = earlier + [snapshot]
        self.symbols = symbols
        hasWokenAll = zip(looks, looks.dropFirst()).map { one, next in
            !one.timers.isEmpty && Set(one.timers.map(\.id)).isDisjoint(with: next.timers.map(\.id))
        }
    }

    /// Whether a task of the last look was in another state, at another place or in another wait before, or has slept several times.
    func hasGoneOn(_ task: RemoteTask) -> Bool {
        let states = looks.map { look in look.task(at: task.address).flatMap { $0.id == task.id ? $0 : nil } }
        let sleeps = symbols.isSleeping(task)
        return zip(zip(states, states.dropFirst()), hasWokenAll).contains { pair, hasWokenAll in
            guard let one = pair.0, let next = pair.1 else { return false }
            guard one.state == next.state, one.wait == next.wait, one.frames == next.frames, one.state != .changing else { return true }
            return sleeps && one.frames == task.frames && (one.mark != next.mark || hasWokenAll)
        }
    }
}
