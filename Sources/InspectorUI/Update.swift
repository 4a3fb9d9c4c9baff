import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Passes a message to the shared state, to the overlay or screen on top, or to every screen. Returns the resulting effects.
package func update(_ model: inout Model, _ message: Message) -> [Effect] {
    var effects: [Effect] = []
    model.arrange(before: message)
    let mode = model.mode
    defer { model.noteArrangement(after: message, in: mode) }
    switch message {
    case .key(let key): return model.pressAndTell(key)
    case .mouse(let mouse): effects = model.point(mouse)
    case .paste(let text): effects = model.type(text)
    case .resize(let size): effects = model.resize(to: size)
    case .processes(let processes): effects = model.shared.take(processes, isTouched: model.isTouched)
    case .traced: model.shared.findings.follow(model.history)
    case .look(let number): model.shared.look(at: number)
    case .awaits(let control): model.shared.awaitedAnswer = control
    case .answered(let control, let answer): model.shared.take(answer, to: control)
    case .scene(let text, let time): model.shared.begin(scene: text, at: time)
    case .printed, .programEnded, .named: break
    case .ended: model.shared.end()
    case .frame(let time):
        model.isStepShown = true
        model.shared.travelOn()
        model.arrange(at: time)
    case .terminate: effects = [.quit]
    }
    switch message {
    case .resize, .printed, .programEnded, .named, .ended: effects += model.receive(message)
    case .key, .mouse, .paste, .processes, .traced, .look, .awaits, .answered, .scene, .frame, .terminate: break
    }
    model.settle()
    return effects
}

extension Model {
    // MARK: Messages for all

    fileprivate mutating func receive(_ message: Message) -> [Effect] {
        switch message {
        case .named, .ended: shared.findings.forget()
        case _: break
        }
        return screens.indices.flatMap { screens[$0].receive(message, &shared) }
    }

    fileprivate mutating func resize(to size: Size) -> [Effect] {
        shared.size = size
        layOut()
        return []
    }

    mutating func layOut() {
        let body = areas.body
        screens[shown].layOut(in: screenArea, shared)
        if let detail = besideAreas?.detail { beside?.layOut(in: detail, shared) }
        for index in overlays.indices { overlays[index].layOut(in: overlays[index] is SearchScreen ? areas.search : body, shared) }
    }

    /// Derives what a frame shows.
    mutating func arrange(at time: UInt64) {
        self.time = time
        shared.lookForSoughtJob()
        shared.findings.arrange(shared.history, isOver: shared.isOver, at: time)
        shared.faults.bringUpToDate(shared.history)
        settle()
        refreshPalette()
        layOut()
        let body = areas.body
        arrangeVisible()
        guard areas.body != body else { return }
        // The list has moved the time cursor, and the events beside the cursor take lines from the screen.
        layOut()
        arrangeVisible()
    }

    private mutating func arrangeVisible() {
        let below = overlays.lastIndex { $0.coversScreen }
        shared.cursor = nil
        if below == nil {
            screens[shown].arrange(&shared, at: time)
            arrangeBeside(at: time)
        }
        for index in overlays.indices.dropFirst(below ?? 0) { overlays[index].arrange(&shared, at: time) }
    }

    /// Updates the detail beside the list for the task at the cursor.
    private mutating func arrangeBeside(at time: UInt64) {
        guard let area = besideAreas?.detail, let task = screens[shown].taskAtCursor(shared), task != .none else {
            beside = nil
            return
        }
        var detail = beside?.task == task ? beside : nil
        if detail == nil { detail = DetailScreen(task: task) }
        detail?.layOut(in: area, shared)
        detail?.arrange(&shared, at: time)
        beside = detail
    }

    /// Does what a screen asked for while it handled a message.
    mutating func settle() {
        searchBelow()
        let requests = shared.requests
        shared.requests = SharedState.Requests()
        if requests.hasTravelled {
            shared.findings.restart()
            for index in screens.indices { screens[index].restart(shared) }
            for index in overlays.indices { overlays[index].restart(shared) }
            beside?.restart(shared)
        }
        if let place = requests.place { go(to: place) }
        if requests.isFollowing { screens[shown].show(&shared) }
        // An open detail changes to the task that is followed.
        let open = overlays.firstIndex { $0 is DetailScreen }
        if let task = requests.detail {
            close(DetailScreen.self)
            // The explanation of a wait stays below the detail that was opened from it.
            let index = overlays.lastIndex { $0 is WaitScreen }.map { $0 + 1 } ?? 0
            push(DetailScreen(task: task), at: index)
            overlays[index].arrange(&shared, at: time)
        } else if let task = shared.selection, let open, requests.isFollowing {
            overlays.remove(at: open)
            push(DetailScreen(task: task), at: open)
            overlays[open].arrange(&shared, at: time)
        }
        if requests.isShowingExecutor { go(to: ExecutorsScreen.name) }
    }

    // MARK: Overlays

    mutating func push(_ overlay: any Screen, at index: Int? = nil) {
        var overlay = overlay
        overlay.layOut(in: areas.body, shared)
        overlays.insert(overlay, at: index ?? overlays.count)
    }

    mutating func close(_ type: any Screen.Type) {
        overlays.removeAll { Swift.type(of: $0) == type }
    }

    mutating func press(_ key: Key) -> [Effect] {
        shared.notice = nil
        isTouched = true
        if let row = KeyTable.row(for: key, in: mode) {
            if row.group == .control, let refusal = shared.controlRefusal {
                shared.notice = refusal
                return []
            }
            noteStep(row.group == .time)
            return perform(row.command)
        }
        stepBase = nil
        switch (mode.typing, key) {
        case (.program, _): return [.type(key.bytes)]
        case (.text, .character(let character)): return type(String(character))
        case (.text, _), (.nothing, _): return []
        }
    }

    /// Before a step through time, keeps the picture, so that the next frames mark the cells that the step changes. Several steps before a
    /// frame are marked together.
    private mutating func noteStep(_ isStep: Bool) {
        guard isStep else {
            stepBase = nil
            return
        }
        guard isStepShown else { return }
        stepBase = nil
        var canvas = Canvas(size: size, glyphs: glyphs)
        Frame.draw(self, on: &canvas)
        stepBase = canvas
        isStepShown = false
    }

    fileprivate mutating func type(_ text: String) -> [Effect] {
        switch mode.typing {
        case .nothing: return []
        case .program: return [.type(Array(text.utf8))]
        case .text:
            onTop { $0.type(text, &$1) }
            return []
        }
    }

    /// Passes a message to the overlay or screen that receives the keys.
    @discardableResult
    mutating func onTop<Result>(_ body: (inout any Screen, inout SharedState) -> Result) -> Result {
        guard let last = overlays.indices.last else { return body(&screens[shown], &shared) }
        return body(&overlays[last], &shared)
    }

    mutating func perform(_ command: Command) -> [Effect] {
        switch command {
        case .move(let movement): onTop { $0.move(movement, &$1) }
        case .open: onTop { $0.open(&$1) }
        case .back: goBack()
        case .go(let name): go(to: name)
        case .nextScreen: go(by: 1)
        case .previousScreen: go(by: -1)
        case .latest where history.isAtLatest: return perform(.move(.last))
        case .latest: shared.goLive()
        case .palette(let text): openPalette(text)
        case .choose: return choose()
        case .erase: erase()
        case .explainWait: explainWait()
        case .help: toggleHelp()
        case .copy: return copy()
        case .search:
            overlays.append(SearchScreen())
            layOut()
        case .shared(let run): return run(&shared)
        case .screen(let name, let action): return perform(action, of: name)
        }
        return []
    }

    private mutating func perform(_ action: any Sendable, of name: ScreenName) -> [Effect] {
        if let index = screens.firstIndex(where: { Swift.type(of: $0).name == name }) { return screens[index].perform(action, &shared) }
        guard let index = overlays.firstIndex(where: { Swift.type(of: $0).name == name }) else { return [] }
        return overlays[index].perform(action, &shared)
    }

    private mutating func goBack() {
        guard !onTop({ $0.leave(&$1) }), !overlays.isEmpty else { return }
        overlays.removeLast()
        layOut()
    }

    // MARK: Screens

    private mutating func go(by steps: Int) {
        let names = names
        guard let place = names.firstIndex(of: screen) else { return }
        go(to: names[((place + steps) % names.count + names.count) % names.count])
    }

    mutating func go(to name: ScreenName) {
        guard let index = screens.firstIndex(where: { Swift.type(of: $0).name == name }) else { return }
        if let reason = screens[index].absence(shared) {
            shared.notice = reason
            return
        }
        show(index)
    }

    /// Shows a screen even if it has nothing to show. It then says why.
    package mutating func show(_ name: ScreenName) {
        if let index = screens.firstIndex(where: { Swift.type(of: $0).name == name }) { show(index) }
    }

    private mutating func show(_ index: Int) {
        let name = Swift.type(of: screens[index]).name
        close(DetailScreen.self)
        close(WaitScreen.self)
        if search == nil || name != screen { close(SearchScreen.self) }
        screens[shown].hide()
        shown = index
        screens[shown].layOut(in: screenArea, shared)
        screens[shown].show(&shared)
    }

    /// Shows a place on the first screen that knows it.
    private mutating func go(to place: SharedState.Place) {
        for index in screens.indices where screens[index].absence(shared) == nil && screens[index].select(place, &shared) {
            return go(to: Swift.type(of: screens[index]).name)
        }
    }

    // MARK: Waits

    /// Explains the wait of the selected task, job or executor. Without a selection, the worst wait.
    private mutating func explainWait() {
        let selected = (overlays.last ?? screens[shown]).waiting(shared) ?? shared.cursor.map { .task($0) }
        guard let subject = selected ?? WaitChain.worst(in: shared.store) else {
            shared.notice = "No task waits here. Select one, or an executor, to see what holds it."
            return
        }
        let chain = WaitChain(of: subject, in: shared.store)
        guard !chain.isTrivial else {
            shared.notice = WaitWords(shared.store, isASCII: shared.isASCII).summary(of: chain) + "."
            return
        }
        close(WaitScreen.self)
        push(WaitScreen(of: subject, isChosen: selected == nil))
        overlays[overlays.count - 1].arrange(&shared, at: time)
    }

    // MARK: Help and palette

    private mutating func toggleHelp() {
        guard !overlays.contains(where: { $0 is HelpScreen }) else { return close(HelpScreen.self) }
        push(HelpScreen(HelpText.sections(below: mode, glyphs, takesCommands: shared.controlRefusal == nil)))
    }

    private mutating func openPalette(_ text: String) {
        push(PaletteScreen(text))
        refreshPalette()
    }

    /// The palette's entries depend on the state of the whole inspector.
    private mutating func refreshPalette() {
        guard let index = overlays.firstIndex(where: { $0 is PaletteScreen }), var palette = overlays[index] as? PaletteScreen else {
            return
        }
        palette.offer(PaletteEntries.all(below: index > 0 ? overlays[index - 1].mode : screens[shown].mode, self))
        overlays[index] = palette
    }

    /// Erases a letter in the palette. Without a letter to erase, closes the palette.
    private mutating func erase() {
        guard let index = overlays.indices.last, var palette = overlays[index] as? PaletteScreen else { return }
        if palette.erase() { overlays[index] = palette } else { overlays.removeLast() }
    }

    mutating func choose() -> [Effect] {
        guard let palette = overlays.last as? PaletteScreen, let entry = palette.chosen else { return [] }
        overlays.removeLast()
        return perform(entry.command)
    }

    // MARK: The clipboard

    /// Copies the selected task's line. If its detail is open, copies the detail as well.
    private mutating func copy() -> [Effect] {
        let detail = overlays.lazy.compactMap { $0 as? DetailScreen }.first
        guard let task = (detail?.task ?? shared.subject).flatMap({ store.task($0) }) else {
            shared.notice = "Select a task first: what is copied is its line, or its detail where that is open."
            return []
        }
        let lines = [shared.line(of: task)] + (detail?.text ?? [])
        shared.notice = "Copied \(detail == nil ? "the task's line" : "the detail"), if the terminal lets programs write to its clipboard."
        return [.copy(lines.joined(separator: "\n").split(separator: "\n").map { String($0).printable }.joined(separator: "\n"))]
    }
}

extension SharedState {
    /// A task's facts in one line, for the clipboard.
    fileprivate func line(of task: TaskView) -> String {
        let words = TaskWords(store)
        let facts = [
            "task \(task.id.rawValue)", words.name(of: task), word(of: StateMark(task)), words.executor(of: task),
            "\(task.label.file):\(task.label.line)",
        ]
        return (facts + (words.error(of: task).map { [$0] } ?? [])).joined(separator: "  ")
    }
}
