import Synchronization

/// The stages of a task. Any thread may ask any question; each answer is decided by one exchange of the stage.
///
/// What waits for the task's end is kept elsewhere, see ``Followers``: who adds to that and who ends the task hold the task's lock.
struct TaskStateMachine: ~Copyable {
    enum Stage: UInt8 {
        /// No body has begun: it waits for an antecedent, in a queue, or for somebody to set it.
        case waiting
        case running
        /// The body has returned a task that has not ended.
        case awaitingInner
        /// Its outcome is decided, and not yet to be seen: the trace learns of it first.
        case ending
        case succeeded, faulted, cancelled

        var hasEnded: Bool { rawValue > Stage.ending.rawValue }
    }

    /// Who wants to end the task.
    enum Claimant {
        /// What runs it, or its source.
        case owner
        /// A cancelled token, which stops nothing that has begun.
        case token
        /// Somebody at an inspector, who stops nothing that has begun either; but a source whose task he ends cannot know.
        case inspector
    }

    /// The stage, and whether an inspector has ended the task.
    private struct Word: Equatable {
        private(set) var bits: UInt8

        init(bits: UInt8) {
            self.bits = bits
        }

        init(_ stage: Stage, isOverruled: Bool = false) {
            bits = stage.rawValue | (isOverruled ? Self.overruled : 0)
        }

        private static let overruled: UInt8 = 1 << 7

        // The word is only ever made of a stage.
        var stage: Stage { unsafeBitCast(bits & ~Self.overruled, to: Stage.self) }
        var isOverruled: Bool { bits & Self.overruled != 0 }
    }

    private let bits = Atomic<UInt8>(Word(.waiting).bits)

    /// With acquiring order: what was written before the end is there to be read.
    var stage: Stage { Word(bits: bits.load(ordering: .acquiring)).stage }

    /// Whether an inspector has ended the task.
    var isOverruled: Bool { Word(bits: bits.load(ordering: .acquiring)).isOverruled }

    /// Whether the body may run. From then on a token changes nothing.
    func begin() -> Bool {
        exchange(.waiting, for: Word(.running))
    }

    func awaitInner() {
        let hasMoved = exchange(.running, for: Word(.awaitingInner))
        precondition(hasMoved, "a task that is not running cannot begin to wait for the one its body returned")
    }

    /// Whether this claimant decides the outcome. One does.
    func claim(by claimant: Claimant) -> Bool {
        while true {
            let stage = stage
            switch (stage, claimant) {
            case (.ending, _), (.succeeded, _), (.faulted, _), (.cancelled, _), (.running, .token), (.running, .inspector): return false
            case (.waiting, _), (.running, .owner), (.awaitingInner, _):
                if exchange(stage, for: Word(.ending, isOverruled: claimant == .inspector)) { return true }
            }
        }
    }

    /// Decides the outcome of a task whose body has run, where nobody but who ran it may: it needs no exchange.
    func claimAfterBody() {
        let stage = Word(bits: bits.load(ordering: .relaxed)).stage
        precondition(stage == .running, "a task that is \(stage) is not running")
        bits.store(Word(.ending).bits, ordering: .relaxed)
    }

    /// The outcome, which is there by now, is for all to see. Only who has claimed the end may call it.
    func end(as stage: Stage) {
        let word = Word(bits: bits.load(ordering: .relaxed))
        precondition(word.stage == .ending && stage.hasEnded, "a task that is \(word.stage) cannot be \(stage) next")
        bits.store(Word(stage, isOverruled: word.isOverruled).bits, ordering: .releasing)
    }

    private func exchange(_ stage: Stage, for word: Word) -> Bool {
        bits.compareExchange(expected: Word(stage).bits, desired: word.bits, ordering: .acquiringAndReleasing).exchanged
    }
}
