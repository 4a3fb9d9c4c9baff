import TerminalCanvas
import TraceStore

/// What keys and mouse do on the Output screen, and what the program that was started does.
extension Model {
    /// What the program's terminal has of the screen.
    var outputSize: Size { Self.outputSize(of: size) }

    /// What the program's terminal has of a screen of that size.
    package static func outputSize(of size: Size) -> Size {
        OutputScreen.areas(FrameAreas(size: size).body).list.size
    }

    private var outputHeight: Int { OutputScreen.areas(areas.body).list.rows }

    /// Lines that had been printed by the moment that is shown.
    var printedCount: Int {
        guard let output else { return 0 }
        return history.isAtLatest ? output.text.lines.count : output.count(until: store.now)
    }

    mutating func take(printed bytes: [UInt8], at time: UInt64) {
        let dropped = output?.text.droppedCount ?? 0
        output?.text.append(bytes, at: time)
        let newlyDropped = (output?.text.droppedCount ?? 0) - dropped
        if newlyDropped > 0, let output {
            self.output?.found = output.found.flatMap { $0 < newlyDropped ? nil : $0 - newlyDropped }
            if !output.follows { scrollOutput(by: -newlyDropped) }
        }
    }

    mutating func arrangeOutput() {
        let (count, height) = (printedCount, outputHeight)
        guard let output else { return }
        self.output?.window.setTop(output.follows ? count : output.window.top, count: count, height: height)
    }

    mutating func perform(_ command: OutputCommand) {
        switch command {
        case .search:
            output?.isSearching = true
            output?.search = ""
            output?.found = nil
        case .next: find(forward: true)
        case .previous: find(forward: false)
        case .follow: output?.follows = true
        case .leave: output?.isTyping = false
        case .keepSearch: output?.isSearching = false
        case .dropSearch:
            output?.isSearching = false
            output?.search = ""
            output?.found = nil
        case .eraseSearch:
            guard output?.search.isEmpty == false else { return perform(.dropSearch) }
            output?.search.removeLast()
            findFromHere()
        }
    }

    mutating func typeInSearch(_ text: String) {
        output?.search += text.printable
        findFromHere()
    }

    /// From now on keys go to the program, if there is one to read them.
    mutating func openInOutput() {
        guard output?.isOver == false else {
            notice = "The program has ended: nobody reads what is typed."
            return
        }
        guard history.isAtLatest else {
            notice = "This is the past: End goes to the present, where the program can be typed to."
            return
        }
        output?.isTyping = true
        output?.follows = true
    }

    mutating func endOutput() {
        if output?.isTyping == true { notice = "The program has ended." }
        output?.isTyping = false
        output?.isOver = true
    }

    /// Drops the search, then follows again.
    mutating func leaveOutput() {
        if output?.search.isEmpty == false { perform(.dropSearch) } else { output?.follows = true }
    }

    mutating func moveInOutput(_ movement: Movement) {
        switch movement {
        case .left: pan(by: -8)
        case .right: pan(by: 8)
        case .up: scrollOutput(by: -1)
        case .down: scrollOutput(by: 1)
        case .pageUp: scrollOutput(by: 1 - outputHeight)
        case .pageDown: scrollOutput(by: outputHeight - 1)
        case .first: scrollOutput(by: -printedCount)
        case .last: output?.follows = true
        }
    }

    private mutating func pan(by columns: Int) {
        guard let pan = output?.pan else { return }
        output?.pan = max(0, min(PrintedText.longestLine, pan + columns))
    }

    /// Whoever goes up stays there; whoever comes back to the end follows again.
    mutating func scrollOutput(by rows: Int) {
        let (count, height) = (printedCount, outputHeight)
        guard let output else { return }
        let top = output.window.top + rows
        self.output?.follows = top + height >= count && rows >= 0
        self.output?.window.setTop(top, count: count, height: height)
    }

    // MARK: Searching

    /// The latest line with it, as long as it is being typed.
    private mutating func findFromHere() {
        output?.found = nil
        find(forward: false)
    }

    private mutating func find(forward: Bool) {
        let (count, height) = (printedCount, outputHeight)
        guard let output, !output.search.isEmpty else { return }
        let place = output.found.map { min($0, count - 1) } ?? (forward ? count - 1 : 0)
        let order = (1...count).lazy.map { (place + (forward ? $0 : count - $0)) % count }
        guard let line = order.first(where: output.matches) else { return }
        self.output?.found = line
        self.output?.follows = false
        self.output?.window.show(line, count: count, height: height)
    }

    // MARK: Processes

    /// A busier process is opened by itself as long as the user has touched nothing; later it is only told of.
    mutating func take(_ processes: [ProgramProcess]) -> [Effect] {
        let known = self.processes.count
        self.processes = processes
        guard let busiest = processes.first else { return [] }
        guard let shown = processes.first(where: { $0.pid == shownProcess }) else { return [.watch(busiest)] }
        if busiest.pid != shown.pid, !isTouched, busiest.eventCount > 2 * shown.eventCount { return [.watch(busiest)] }
        if processes.count > max(1, known) {
            notice = "\(processes.count) processes tell of tasks; : and “process” picks one. This is \(shown.pid), \(shown.name.printable)."
        }
        return []
    }
}
