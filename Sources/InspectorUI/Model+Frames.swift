/// What a frame shows, and what follows from a message.
extension Model {
    /// Derives what a frame shows.
    mutating func refresh(at time: UInt64) {
        self.time = time
        shared.lookForSoughtJob()
        shared.findings.refresh(shared.history, isOver: shared.isOver, at: time)
        shared.faults.bringUpToDate(shared.history)
        settle()
        layers.refresh(&shared, at: time)
    }

    /// Before a key or the mouse, derives what a frame would show, if something has changed since the last frame. Otherwise the key would meet
    /// rows of the last frame beside a list that an earlier key has changed.
    ///
    /// Typed letters meet no rows, and a movement follows another without a frame, so thousands of either cost little.
    mutating func catchUp(_ freshness: Freshness, before row: KeyRow? = nil) {
        guard freshness != .framed, freshness != .moved || row?.isVerticalMovement != true else { return }
        refresh(at: time)
        settle()
    }

    /// Does what a layer has asked for while it handled a message.
    mutating func settle() {
        layers.follow(&shared)
        let requests = shared.requests
        shared.requests = SharedState.Requests()
        if requests.hasTravelled {
            shared.findings.restart()
            layers.restart(shared)
        }
        if let target = requests.target { layers.go(to: target, &shared) }
        if requests.isFollowing { layers.showSelection(&shared) }
    }
}
