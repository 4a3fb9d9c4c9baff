import TaskEvents

/// Takes apart a chain that nobody will run any more, link after link: one inside another it would need a stack as deep as the chain.
enum DeferredRelease {
    private final class Pile {
        var abandoned: [Followers] = []
    }

    /// Lets go of what waited for a task, now or as soon as the one being let go on this thread is gone.
    static func release(_ followers: consuming Followers) {
        if followers.isEmpty { return }
        if let pile = ThreadSlot.releasing {
            Unmanaged<Pile>.fromOpaque(pile).takeUnretainedValue().abandoned.append(followers)
            return
        }
        let pile = Pile()
        ThreadSlot.releasing = Unmanaged.passUnretained(pile).toOpaque()
        pile.abandoned.append(followers)
        while !pile.abandoned.isEmpty {
            _ = pile.abandoned.removeLast()
        }
        ThreadSlot.releasing = nil
    }
}
