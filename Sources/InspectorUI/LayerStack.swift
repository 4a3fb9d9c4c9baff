import TaskEvents
import TerminalCanvas

/// The layers of the inspector: a screen for each tab, of which one is shown, and the overlays above it. It asks no layer for its type.
struct LayerStack {
    let list: ScreenList
    var screens: [any Layer]
    /// The index of the shown screen.
    private(set) var shown = 0
    /// The overlays above the screen, the lowest first.
    private(set) var overlays: [any Layer] = []
    /// The way to the shown screen, the first origin first.
    var trail: [Origin] = []
    /// The detail of the task at the screen's cursor, beside the list. Nil without room for it, or without a task.
    private(set) var beside: DetailScreen?

    init(_ list: ScreenList) {
        self.list = list
        screens = list.makeScreens()
    }

    // MARK: Looking

    /// The shown screen.
    var screen: any Layer {
        get { screens[shown] }
        _modify { yield &screens[shown] }
    }

    /// The layer that receives the keys.
    var top: any Layer {
        get { overlays.last ?? screen }
        _modify {
            if overlays.isEmpty { yield &screens[shown] } else { yield &overlays[overlays.count - 1] }
        }
    }

    /// The screen and the overlays to draw, the lowest first.
    var visible: ArraySlice<any Layer> {
        let all = [screen] + overlays
        return all[(all.lastIndex { type(of: $0).extent == .body } ?? 0)...]
    }

    /// Whether the layer on top takes every click.
    var isModal: Bool { overlays.last.map { !$0.mode.hasGeneralKeys } ?? false }

    /// The screens that can be shown.
    func names(_ shared: SharedState) -> [ScreenName] {
        screens.enumerated().filter { $0 == shown || type(of: $1).absence(shared) == nil }.map { type(of: $1).name }
    }

    /// What the overlay above the current top learns.
    private func belowNext(_ shared: SharedState) -> Below {
        Below(mode: top.mode, keys: list.keys, names: names(shared), commands: screens.flatMap { type(of: $0).commands(shared) })
    }

    // MARK: Areas

    func areas(_ shared: SharedState) -> FrameAreas {
        // A panel above the screen needs the room of the scene's lines.
        let isCovered = overlays.contains { type(of: $0).extent == .body }
        return FrameAreas(
            size: shared.size, stripRows: EventStrip.rows(shared), sceneRows: isCovered ? 0 : SceneLines.rows(shared),
            searchRows: overlays.filter { type(of: $0).extent == .line }.count)
    }

    /// The areas of the list and of the detail beside or below it. Nil if the screen has the whole body.
    func besideAreas(_ shared: SharedState) -> (list: Rect, rule: Rect, detail: Rect)? {
        guard screen.hasDetail else { return nil }
        let areas = areas(shared)
        return screen.rowsAboveDetail.map { areas.below($0) } ?? areas.beside
    }

    mutating func layOut(_ shared: SharedState) {
        let (areas, parts) = (areas(shared), besideAreas(shared))
        screen.layOut(in: parts?.list ?? areas.body, shared)
        if let parts { beside?.layOut(in: parts.detail, shared) }
        for index in overlays.indices {
            overlays[index].layOut(in: type(of: overlays[index]).extent == .line ? areas.search : areas.body, shared)
        }
    }

    // MARK: Updating

    /// Derives what a frame shows.
    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        layOut(shared)
        let (body, list) = (areas(shared).body, besideAreas(shared)?.list)
        refreshVisible(&shared, at: time)
        guard areas(shared).body != body || besideAreas(shared)?.list != list else { return }
        // The list has moved the time cursor, and the events beside the cursor take lines from the screen; or it has something to show now,
        // and a detail beside it.
        layOut(shared)
        refreshVisible(&shared, at: time)
    }

    private mutating func refreshVisible(_ shared: inout SharedState, at time: UInt64) {
        let lowest = overlays.lastIndex { type(of: $0).extent == .body }
        shared.cursor = nil
        if lowest == nil {
            screen.refresh(&shared, at: time)
            refreshBeside(&shared, at: time)
        }
        for index in overlays.indices.dropFirst(lowest ?? 0) { overlays[index].refresh(&shared, at: time) }
    }

    /// Updates the detail beside the list for the task at the cursor.
    private mutating func refreshBeside(_ shared: inout SharedState, at time: UInt64) {
        guard let area = besideAreas(shared)?.detail, let task = screen.detailTask(shared), task != .none else {
            beside = nil
            return
        }
        if beside?.task != task { beside = DetailScreen(task: task) }
        beside?.layOut(in: area, shared)
        beside?.refresh(&shared, at: time)
    }

    /// Lets the overlay on top follow the layer below it.
    mutating func follow(_ shared: inout SharedState) {
        guard var overlay = overlays.popLast() else { return }
        if overlay.followsBelow {
            let below = belowNext(shared)
            overlay.follow(&top, below, &shared)
        }
        overlays.append(overlay)
    }

    /// The shown time has changed.
    mutating func restart(_ shared: SharedState) {
        for index in screens.indices { screens[index].restart(shared) }
        for index in overlays.indices { overlays[index].restart(shared) }
        beside?.restart(shared)
    }

    /// Another task has been selected for every screen.
    mutating func showSelection(_ shared: inout SharedState) {
        screen.show(&shared)
        // An overlay that another one covers keeps its task: Esc goes back to it.
        for index in overlays.indices.dropFirst(overlays.lastIndex { type(of: $0).extent == .body } ?? 0) { overlays[index].show(&shared) }
        layOut(shared)
    }

    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] {
        screens.indices.flatMap { screens[$0].receive(message, &shared) }
            + overlays.indices.flatMap { overlays[$0].receive(message, &shared) }
    }

    mutating func inherit(from other: LayerStack) {
        shown = other.shown
        for index in screens.indices { screens[index].inherit(from: other.screens[index]) }
    }

    // MARK: The mouse

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if isBeside(point, shared) { return beside?.click(point, &shared) ?? .ignored }
        return topOfBody.click(point, &shared)
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if isBeside(point, shared) { beside?.scroll(by: rows, &shared) } else { topOfBody.scroll(by: rows, at: point, &shared) }
    }

    private var overlayOfBody: Int? { overlays.lastIndex { type(of: $0).extent != .line } }

    /// The topmost layer that is not a line.
    private var topOfBody: any Layer {
        get { overlayOfBody.map { overlays[$0] } ?? screen }
        _modify {
            if let index = overlayOfBody { yield &overlays[index] } else { yield &screens[shown] }
        }
    }

    /// Whether a point is in the detail beside the screen.
    private func isBeside(_ point: Point, _ shared: SharedState) -> Bool {
        overlayOfBody == nil && besideAreas(shared)?.detail.contains(point) == true
    }

    // MARK: Opening and closing

    /// Opens an overlay. Of many overlays above each other, the lowest are forgotten.
    mutating func push(_ overlay: any Layer, _ shared: inout SharedState, at time: UInt64) {
        overlays.append(overlay)
        overlays.removeFirst(max(0, overlays.count - Self.mostOrigins))
        follow(&shared)
        layOut(shared)
        top.refresh(&shared, at: time)
    }

    /// Closes the overlay on top. False if there is none.
    mutating func pop(_ shared: SharedState) -> Bool {
        guard overlays.popLast() != nil else { return false }
        layOut(shared)
        return true
    }

    /// The answer of an overlay's type to the wish to open it.
    func open(_ name: ScreenName, _ text: String, _ shared: inout SharedState) -> Answer {
        guard let overlay = list.overlays.first(where: { $0.name == name }) else { return .ignored }
        return overlay.open(above: top, belowNext(shared), text, &shared)
    }

    /// Runs an action of the layer with this name.
    mutating func perform(_ action: any Sendable, of name: ScreenName, _ shared: inout SharedState) -> Answer {
        if let index = screens.firstIndex(where: { type(of: $0).name == name }) { return screens[index].perform(action, &shared) }
        guard let index = overlays.lastIndex(where: { type(of: $0).name == name }) else { return .ignored }
        return overlays[index].perform(action, &shared)
    }

    // MARK: Screens

    /// Shows the next screen, or the previous one if `steps` is negative.
    mutating func go(by steps: Int, _ shared: inout SharedState) -> Answer {
        let names = names(shared)
        guard let index = names.firstIndex(of: type(of: screen).name) else { return .ignored }
        return go(to: names[((index + steps) % names.count + names.count) % names.count], &shared)
    }

    /// Shows a screen, if it has something to show.
    mutating func go(to name: ScreenName, _ shared: inout SharedState) -> Answer {
        guard let index = screens.firstIndex(where: { type(of: $0).name == name }) else { return .ignored }
        if let reason = type(of: screens[index]).absence(shared) {
            shared.notice = reason
            return .ignored
        }
        guard index != shown || !overlays.isEmpty else { return .ignored }
        let origin = origin(shared)
        show(index, &shared)
        begin(from: origin, isPicked: true, shared)
        return .changed
    }

    /// Shows a screen even if it has nothing to show. It then says why.
    mutating func show(_ name: ScreenName, _ shared: inout SharedState) {
        if let index = screens.firstIndex(where: { type(of: $0).name == name }) { show(index, &shared) }
    }

    /// Shows a place on the first screen that knows it.
    mutating func go(to target: SharedState.Target, _ shared: inout SharedState) {
        let origin = origin(shared)
        for index in screens.indices where type(of: screens[index]).absence(shared) == nil {
            guard screens[index].arrive(at: target, &shared) else { continue }
            show(index, &shared)
            return begin(from: origin, isPicked: false, shared)
        }
    }

    private mutating func show(_ index: Int, _ shared: inout SharedState) {
        overlays = []
        screen.hide()
        shown = index
        layOut(shared)
        screen.show(&shared)
    }

    /// Shows a screen again that led to the shown one.
    mutating func goBack(to origin: Origin, _ shared: inout SharedState) {
        shared.selection = origin.selection
        show(origin.shown, &shared)
        overlays = origin.overlays
        for index in overlays.indices { overlays[index].restart(shared) }
        layOut(shared)
    }
}
