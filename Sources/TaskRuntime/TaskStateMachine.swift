import Synchronization

/// The stages of a task. Any thread may call any method; one atomic exchange of the stage decides each transition.
///
/// The task's followers are kept elsewhere, see ``FollowersOf``. Adding a follower and ending the task take the task's lock.
struct TaskStateMachine: ~Copyable {
    enum Stage: UInt8 {
        /// No body has begun. The task waits for an antecedent, in a queue, or for its source.
        case waiting
        case running
        /// The body has returned a task that has not ended.
        case awaitingInner
        /// The outcome is decided but not visible yet, because the trace records it first.
        case ending
        case succeeded, faulted, cancelled

        var hasEnded: Bool { rawValue > Stage.ending.rawValue }
    }

    /// The parties that can claim a task's end.
    enum Claimant {
        /// The code that runs the task, or its source.
        case owner
        /// A cancelled token. It cannot end a task whose body is running.
        case token
        /// An inspector. It cannot end a task whose body is running either. The source of a task that it ends cannot know this.
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

        // Safe because a word is only made from a stage.
        var stage: Stage { unsafeBitCast(bits & ~Self.overruled, to: Stage.self) }
        var isOverruled: Bool { bits & Self.overruled != 0 }
    }

    private let bits: Atomic<UInt8>

    /// - Parameter stage: `running` for a task that its maker ends at once. Then no other claimant can come first.
    init(_ stage: Stage = .waiting) {
        bits = Atomic(Word(stage).bits)
    }

    /// Loaded with acquiring order, so that everything written before the end is visible.
    var stage: Stage { Word(bits: bits.load(ordering: .acquiring)).stage }

    /// Whether an inspector has ended the task.
    var isOverruled: Bool { Word(bits: bits.load(ordering: .acquiring)).isOverruled }

    /// Returns whether the body may run. While the body runs, a token has no effect.
    func begin() -> Bool {
        exchange(.waiting, for: Word(.running))
    }

    func awaitInner() {
        let hasMoved = exchange(.running, for: Word(.awaitingInner))
        precondition(hasMoved, "a task that is not running cannot begin to wait for the one its body returned")
    }

    /// Returns whether `claimant` decides the outcome. At most one claim succeeds.
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

    /// Claims the end of a task whose body has run. Only the thread that ran the body can claim it, so this needs no exchange.
    func claimAfterBody() {
        let stage = Word(bits: bits.load(ordering: .relaxed)).stage
        precondition(stage == .running, "a task that is \(stage) is not running")
        bits.store(Word(.ending).bits, ordering: .relaxed)
    }

    /// Publishes the outcome, which has already been written. Requires a claim.
    func end(as stage: Stage) {
        let word = Word(bits: bits.load(ordering: .relaxed))
        precondition(word.stage == .ending && stage.hasEnded, "a task that is \(word.stage) cannot be \(stage) next")
        bits.store(Word(stage, isOverruled: word.isOverruled).bits, ordering: .releasing)
    }

    private func exchange(_ stage: Stage, for word: Word) -> Bool {
        bits.compareExchange(expected: Word(stage).bits, desired: word.bits, ordering: .acquiringAndReleasing).exchanged
    }
}
