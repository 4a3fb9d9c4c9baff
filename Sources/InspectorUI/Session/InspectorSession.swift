import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// Runs the inspector: waits for keys, folds new events, and draws after changes.
///
/// It belongs to the thread that calls it. The terminal and the source are protocols, and the time is a parameter, so that a test can
/// simulate all three.
package final class InspectorSession {
    /// The least number of nanoseconds between two frames: 30 frames a second.
    package static let framePeriod: UInt64 = 33_333_333
    /// Nanoseconds between two frames while only durations change.
    static let calmPeriod: UInt64 = 100_000_000
    /// Nanoseconds between two checks for new names and for the program's processes.
    static let lookPeriod: UInt64 = 200_000_000
    /// Nanoseconds of folding before a frame is drawn.
    static let foldBudget: UInt64 = 8_000_000
    /// The number of events folded between two checks of the time.
    static let foldPortion = 8192
    /// The number of inputs handled before events and frames get a turn.
    static let inputPortion = 256
    /// The number of inputs read ahead, to find a request to end behind unhandled keys.
    static let inputsAhead = 65_536

    package private(set) var model: Model
    /// The signal that ended the inspector, if any. The owner of the terminal raises it again after restoring the terminal.
    package private(set) var endingSignal: Int32?
    /// The title of the shown screen. It is kept outside the model, which a fault may leave inconsistent.
    package private(set) var shownTitle = ""
    private let terminal: any TerminalDriver
    private var source: any TraceSource
    /// The program, if the inspector started it.
    private let host: (any InspectedProgram)?
    private let controls: any ControlLine
    /// Runs other orders of the program. Nil for a program whose order is not chosen.
    private let orders: (any OrderRunner)?
    private let clock: () -> UInt64
    private let save: (InspectorSettings) -> Void
    private var canvas: Canvas

    /// Inputs that were read. Those from `nextInput` on have not been handled.
    private var inputs: [TerminalInput] = []
    /// Commands that wait for the answer to an earlier one.
    private var controlsAhead: [Control] = []
    private var nextInput = 0
    /// Batches that have not been folded, and the number of events already folded from the first.
    private var backlog: [TraceBatch] = []
    private var foldedOfFirst = 0
    private var hasChanged = true
    private var lastFrame: UInt64?
    private var isOver = false
    private var nextLook: UInt64 = 0
    private var outsideNeed = OutsideNeed()
    /// Whether the model has been told that the started program ended.
    private var hasReportedEnd = false

    /// - Parameters:
    ///   - history: takes the source's batches, or is the shown recording. Only the session uses it while the inspector runs.
    ///   - program: the inspected program's name.
    ///   - host: the program, if the inspector started it. `source` is shown until one of its processes records events.
    ///   - orders: runs the program in other orders. The first screen is then the tape.
    ///   - controls: the connection for commands to the program.
    ///   - clock: the nanoseconds of a monotonic clock.
    ///   - settings: the user's saved settings.
    ///   - warnings: the user's settings for warnings.
    ///   - sources: reads the program's source files.
    ///   - save: saves the user's settings. Called on the session's thread.
    package init(
        terminal: any TerminalDriver, source: any TraceSource, history: TraceHistory, program: String,
        host: (any InspectedProgram)? = nil, orders: (any OrderRunner)? = nil,
        controls: any ControlLine = NoControls("A recording can only be looked at."),
        settings: InspectorSettings = InspectorSettings(), warnings: WarningSettings = WarningSettings(),
        sources: (any SourceReader)? = nil, save: @escaping (InspectorSettings) -> Void = { _ in }, clock: @escaping () -> UInt64
    ) {
        self.save = save
        self.terminal = terminal
        self.source = source
        self.host = host
        self.controls = controls
        self.orders = orders
        self.clock = clock
        model = Model(history: history, program: program, size: terminal.size, glyphs: terminal.capabilities.glyphs, settings: warnings)
        model.useColours(terminal.capabilities.colours > .none)
        model.shared.program.completeSince = source.completeSince
        model.shared.control.refusal = controls.refusal
        model.shared.program.route = source.route
        model.shared.sources = sources
        if let orders {
            model.shared.program.orderEnding = orders.ending
            model.show(TapeScreen.name)
        }
        canvas = terminal.makeCanvas()
        model.settings = settings
        if settings.grouping != .none {
            model.shared.notice = "Tasks are grouped by \(settings.grouping.rawValue), as you left them: o in Tasks changes that."
        }
        terminal.use(settings.theme)
        guard let host else { return }
        model.shared.program.isHosting = true
        model.shared.program.takesInput = host.takesInput
        host.resize(to: OutputScreen.size(in: model.size))
    }

    /// Runs until the user quits or the terminal closes. The caller closes the terminal.
    package func run() {
        while turn() {}
    }

    /// Waits for one input, for at most a frame's time, and does all due work. False when the inspector has ended.
    package func turn() -> Bool {
        var input = takeInput(timeoutMilliseconds: timeout)
        shownTitle = model.screen.title
        for _ in 1..<Self.inputPortion where input != .none {
            receive(input)
            guard !isOver else { return false }
            input = takeInput(timeoutMilliseconds: 0)
        }
        receive(input)
        guard !isOver else { return false }
        if input != .none { readAhead() }
        takeAnswer()
        look(at: clock())
        fold()
        drawIfDue()
        return !isOver
    }

    // MARK: Input

    private func takeInput(timeoutMilliseconds: Int) -> TerminalInput {
        guard nextInput < inputs.count else { return terminal.nextInput(timeoutMilliseconds: timeoutMilliseconds) }
        nextInput += 1
        return inputs[nextInput - 1]
    }

    /// Reads all inputs that have arrived, because keys can arrive faster than they are handled. A request to end is handled before earlier
    /// keys.
    private func readAhead() {
        inputs.removeFirst(nextInput)
        nextInput = 0
        while inputs.count < Self.inputsAhead {
            let input = terminal.nextInput(timeoutMilliseconds: 0)
            guard input != .none else { return }
            inputs.append(input)
            if case .terminate(let signal) = input, signal != TerminalInput.interruptSignal || !model.isTypingToProgram {
                inputs = [input]
                return
            }
        }
    }

    private func receive(_ input: TerminalInput) {
        switch input {
        case .key(let key): send(.key(key))
        case .mouse(let mouse): send(.mouse(mouse))
        case .paste(let text): send(.paste(text))
        case .resize(let size): send(.resize(size))
        case .terminate(let signal) where signal == TerminalInput.interruptSignal && model.isTypingToProgram:
            // While the user types to the program, Ctrl-C is for the program.
            send(.key(.control("c")))
        case .terminate(let signal):
            endingSignal = signal
            send(.terminate)
        case .none: break
        }
    }

    private func send(_ message: Message) {
        hasChanged = true
        for effect in update(&model, message) { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .quit:
            isOver = true
        case .repaint:
            terminal.suspend()
            terminal.resume()
        case .control(let control):
            ask(control)
        case .type(let bytes):
            host?.type(bytes)
        case .endProgram:
            host?.end()
        case .resizeOutput(let size):
            host?.resize(to: size)
        case .show(let process):
            show(process)
        case .use(let theme):
            terminal.use(theme)
        case .copy(let text):
            terminal.copy(text)
        case .edit(let file, let line):
            terminal.suspend()
            let problem = model.shared.sources?.edit(file, at: line)
            terminal.resume()
            if let problem { send(.couldNotEdit(problem)) }
        case .runOrder(let choice, let strand):
            if orders?.run(choice: choice, strand: strand) != true {
                send(.ordered(.refused("Another order still runs; its tape comes as soon as it has ended.")))
            }
        case .save(let settings):
            save(settings)
        }
    }

    private static let mostControlsAhead = 16

    private func ask(_ control: Control) {
        guard model.shared.control.awaitedAnswer == nil else {
            // Keys can come faster than answers. Commands for a program that does not answer are refused from this number on.
            guard controlsAhead.count < Self.mostControlsAhead else {
                return send(.answered(control, .failed("The program has not answered the last command yet; it may be stopped.")))
            }
            return controlsAhead.append(control)
        }
        if let answer = controls.send(control) { send(.answered(control, answer)) } else { send(.awaits(control)) }
    }

    /// Takes the answer to a command, if it has come.
    private func takeAnswer() {
        guard let awaited = model.shared.control.awaitedAnswer, let answer = controls.takeAnswer() else { return }
        send(.awaits(nil))
        send(.answered(awaited, answer))
        while model.shared.control.awaitedAnswer == nil, !controlsAhead.isEmpty { ask(controlsAhead.removeFirst()) }
    }

    /// The time until the next frame is due. 0 while there are events to fold.
    private var timeout: Int {
        guard !hasWork else { return 0 }
        guard let lastFrame else { return 0 }
        let due = lastFrame + Self.framePeriod
        let now = clock()
        // Rounded up, because waking early would be useless.
        return due > now ? Int((due - now + 999_999) / 1_000_000) : hasChanged ? 0 : Int(Self.framePeriod / 1_000_000)
    }

    // MARK: The program

    /// Shows another process of the program from its beginning.
    private func show(_ process: ProgramProcess) {
        guard let source = host?.source(of: process) else { return }
        self.source = source
        outsideNeed = OutsideNeed()
        model = Model(showing: process, insteadOf: model)
        model.shared.program.completeSince = source.completeSince
        model.shared.program.route = source.route
        (backlog, foldedOfFirst) = ([], 0)
    }

    /// Takes changes other than events.
    private func look(at now: UInt64) {
        let isDue = now >= nextLook
        if isDue { nextLook = now + Self.lookPeriod }
        if isDue, backlog.isEmpty, let names = source.takeNames() {
            model.history.apply(names)
            send(.named)
        }
        if isDue { model.shared.program.isFindingNames = source.isFindingNames }
        if isDue { lookFromOutside() }
        if let answer = orders?.take() { send(.ordered(answer)) }
        askHost(forProcesses: isDue)
    }

    /// Has the process looked at if the trace alone does not tell what its tasks do.
    private func lookFromOutside() {
        guard let outside = source.outside, !model.shared.program.hasEnded, backlog.isEmpty else { return }
        let store = model.history.latest
        if var found = outside.take() {
            found.keepHolders(of: store.outside)
            store.outside = found
            hasChanged = true
        }
        if let task = model.shared.holderOf, outsideNeed.isHolderWanted(of: task, in: store) {
            if outside.begin(at: store.now, findsHolders: true) {
                outsideNeed.noteHolders(at: store.now)
                model.shared.holderOf = nil
            }
        } else if outsideNeed.isDue(in: store) {
            _ = outside.begin(at: store.now, findsHolders: false)
        }
        searchStuck(with: outside, at: store.now)
    }

    private func searchStuck(with outside: any OutsideLook, at now: UInt64) {
        model.shared.program.canBeLookedAt = true
        if model.shared.stuckSearch == .asked {
            outside.beginStuckSearch(after: DurationText.text(now))
            model.shared.stuckSearch = .underWay
        }
        guard model.shared.stuckSearch == .underWay, let causes = outside.takeStuckSearch() else { return }
        model.shared.stuckSearch = .found(causes, at: now)
        hasChanged = true
    }

    private func askHost(forProcesses isDue: Bool) {
        guard let host else { return }
        // Read before the output, so that output printed just before the end is not missed.
        let hasEnded = host.hasEnded
        let bytes = host.takeOutput()
        if let scene = host.takeScene() { send(.scene(scene, at: source.now)) }
        if !bytes.isEmpty { send(.printed(bytes, at: source.now)) }
        if hasEnded, bytes.isEmpty, !hasReportedEnd {
            hasReportedEnd = true
            send(.programEnded)
        }
        guard isDue else { return }
        let processes = host.processes
        if processes != model.shared.program.processes { send(.processes(processes)) }
    }

    // MARK: Events

    /// Whether there are events to fold, from a live trace or from an unread part of a recording.
    private var hasWork: Bool { !backlog.isEmpty || model.history.hasMore }

    private func fold() {
        guard !model.shared.program.hasEnded || hasWork else { return }
        let hasEnded = source.hasEnded
        if model.shared.control.note(areGatesClosed: source.holdsJobs) { hasChanged = true }
        backlog += source.take().filter { !$0.isEmpty }
        if model.history.takeNames() {
            send(.look(at: model.history.goal ?? (model.history.isAtLatest ? nil : model.history.position)))
        }
        let end = clock() + Self.foldBudget
        while hasWork {
            foldPortion()
            if clock() >= end { break }
        }
        let (now, shown) = (source.now, model.history.latest.now)
        model.shared.program.behind = hasEnded || backlog.isEmpty || now < shown ? 0 : now - shown
        if !hasWork, !model.shared.program.hasEnded {
            if hasEnded {
                send(source.sawExit ? .ended : .cut)
            } else {
                model.history.advance(to: source.now)
            }
        }
    }

    private func foldPortion() {
        guard !backlog.isEmpty else {
            for stretch in model.history.load(limit: Self.foldPortion) { tellRemarks(stretch.events) }
            return send(.traced)
        }
        let batch = backlog[0]
        let end = min(foldedOfFirst + Self.foldPortion, batch.events.count)
        let range = foldedOfFirst..<end
        let events = Array(batch.events[range])
        let portion = TraceBatch(
            events: events, lanes: Array(batch.lanes[range]), lost: foldedOfFirst == 0 ? batch.lost : 0, source: batch.source)
        model.history.apply(portion)
        tellRemarks(events)
        send(.traced)
        foldedOfFirst = end
        if end == batch.events.count {
            backlog.removeFirst()
            foldedOfFirst = 0
        }
    }

    private func tellRemarks(_ events: [TaskEvent]) {
        for event in events where event.isRemark { send(.scene(model.history.latest.entries.text(event.label), at: event.time)) }
    }

    // MARK: Frames

    private func drawIfDue() {
        let now = clock()
        if let lastFrame {
            let isLive = !model.shared.program.hasEnded && model.history.isAtLatest && now >= lastFrame + Self.calmPeriod
            guard hasChanged || isLive || model.isArranging, now >= lastFrame + Self.framePeriod else { return }
        }
        lastFrame = now
        hasChanged = false
        _ = update(&model, .frame(at: now))
        if canvas.size == model.size { canvas.clear() } else { canvas = Canvas(size: model.size, glyphs: model.glyphs) }
        Frame.draw(model, on: &canvas)
        terminal.draw(canvas)
    }
}
