import TaskEvents

/// The rails between two adjacent rows, by lane.
struct OpenRails: Equatable {
    struct Open: Equatable {
        var rail: Rail
        /// The lowest task of the rail, where the rail ends.
        var last: TaskID
    }

    private(set) var lanes: ContiguousArray<Open?> = []

    subscript(lane: Int) -> Open? {
        get { lane < lanes.count ? lanes[lane] : nil }
        set {
            while lane >= lanes.count { lanes.append(nil) }
            lanes[lane] = newValue
            while lanes.last == .some(nil) { lanes.removeLast() }
        }
    }

    var rails: [Rail?] { lanes.map { $0?.rail } }

    func lane(of rail: Rail) -> Int? {
        lanes.firstIndex { $0?.rail == rail }
    }

    /// The lane in which the rail ends at `task`. A task's continuations have up to two lanes: the trunk, and a branch to the first of
    /// several.
    func lane(of rail: Rail, endingAt task: TaskID) -> Int? {
        lanes.firstIndex { $0?.rail == rail && $0?.last == task }
    }

    /// Removes the rails whose last task has gone.
    mutating func removeAll(where isGone: (TaskID) -> Bool) {
        for lane in lanes.indices {
            if let last = lane < lanes.count ? lanes[lane]?.last : nil, isGone(last) { self[lane] = nil }
        }
    }
}
