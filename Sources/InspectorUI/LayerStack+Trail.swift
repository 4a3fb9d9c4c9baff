import TaskEvents

/// The way back: Esc returns to the screen that led to the shown one.
extension LayerStack {
    /// A screen that led to another one, as it was.
    struct Origin {
        /// The index of the screen.
        let shown: Int
        let overlays: [any Layer]
        let selection: TaskID?
        /// Whether a key or a tab chose the next screen. Otherwise a line of this one led to it.
        var isNextPicked = false
        /// The next screen's depth on arrival.
        var depthOfNext = 0
    }

    /// The number of origins and of overlays that are kept.
    static let mostOrigins = 32

    func origin(_ shared: SharedState) -> Origin {
        Origin(shown: shown, overlays: overlays, selection: shared.selection)
    }

    /// Notes the way to the shown screen.
    mutating func begin(from origin: Origin, isPicked: Bool, _ shared: SharedState) {
        var origin = origin
        (origin.isNextPicked, origin.depthOfNext) = (isPicked, screen.depth(shared))
        trail.append(origin)
        trail.removeFirst(max(0, trail.count - Self.mostOrigins))
    }

    /// Whether Esc stays on the shown screen, because it has a filter, a walk or an inner list to leave.
    func hasInnerStep(_ shared: SharedState) -> Bool { overlays.isEmpty && screen.depth(shared) > trail.last?.depthOfNext ?? 0 }

    /// Goes one step back: out of the overlay on top, inside the screen, or to the screen that led to it.
    ///
    /// A selection is no step on the way from a line that led here. On a screen that the user has picked, Esc drops it first.
    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard overlays.isEmpty, let origin = trail.last else { return top.leave(&shared) }
        if origin.isNextPicked || hasInnerStep(shared) {
            switch screen.leave(&shared) {
            case .ignored: break
            case let answer: return answer
            }
        }
        trail.removeLast()
        goBack(to: origin, &shared)
        return .changed
    }

    /// The title of the screen or overlay whose line led to the shown screen, if Esc goes there.
    func titleBehind(_ shared: SharedState) -> String? {
        guard overlays.isEmpty, !hasInnerStep(shared), let origin = trail.last, !origin.isNextPicked else { return nil }
        return title(of: origin)
    }

    /// The titles on the way to what is shown, which is the last. The way begins at the screen that the user has picked last.
    var way: [String] {
        let led = trail.suffix(from: (trail.lastIndex { $0.isNextPicked } ?? -1) + 1)
        let covering = overlays.map { type(of: $0) as any Layer.Type }.filter { $0.extent == .body }
        return led.map { title(of: $0) } + [type(of: screen).name.title] + covering.map { $0.name.title }
    }

    private func title(of origin: Origin) -> String {
        (origin.overlays.last.map { type(of: $0) as any Layer.Type } ?? type(of: screens[origin.shown])).name.title
    }
}
