import TaskEvents

/// Takes apart a chain that nobody will run any more, link after link: one inside another it would need a stack as deep as the chain.
enum DeferredRelease {
    private final class Pile {
        var abandoned: [ContinuationList] = []
    }

    /// Lets go of the continuations, now or as soon as the one being let go on this thread is gone.
    static func release(_ continuations: consuming ContinuationList) {
        if continuations.isEmpty { return }
        if let pile = ThreadSlot.releasing {
            Unmanaged<Pile>.fromOpaque(pile).takeUnretainedValue().abandoned.append(continuations)
            return
        }
        let pile = Pile()
        ThreadSlot.releasing = Unmanaged.passUnretained(pile).toOpaque()
        pile.abandoned.append(continuations)
        while !pile.abandoned.isEmpty {
            _ = pile.abandoned.removeLast()
        }
        ThreadSlot.releasing = nil
    }
}
