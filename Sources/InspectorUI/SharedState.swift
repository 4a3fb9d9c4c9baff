import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// The state that all screens share: the trace, the program, the terminal, the selected task and the settings. Screens change it while they
/// handle a message.
///
/// The history is the inspected program's trace. It is held by reference: one thread feeds it, updates and draws. The screens show the
/// state at its cursor.
package struct SharedState {
    package let history: TraceHistory
    package internal(set) var program: ShownProgram
    package internal(set) var control = ControlState()
    package let glyphs: GlyphSet
    /// Whether the terminal has colours. Names in sentences are bold there, and between backticks elsewhere.
    package internal(set) var hasColours = false
    package internal(set) var size: Size
    package internal(set) var settings = InspectorSettings()
    /// The task that is selected on every screen. The selection stays with the task when the task's row moves.
    package internal(set) var selection: TaskID?
    /// The task of the row under the cursor in the last frame, if that row is not the selection's.
    var cursor: TaskID?
    /// How often a task has been selected for every screen: see ``follow(_:)``.
    private(set) var followCount = 0
    /// The findings of the rules.
    package internal(set) var findings: Findings
    /// The errors up to the cursor, by origin.
    var faults = FaultList()
    /// The reason why the last key had no effect, until the next key.
    package internal(set) var notice: String?
    /// Reads the program's source. Nil where nothing does.
    package internal(set) var sources: (any SourceReader)?
    /// The user's latest look at what is stuck.
    var stuckSearch = StuckSearch.none
    /// The task whose continuation's holder the user wants to know.
    var holderOf: TaskID?
    /// The times that Timeline shows, if the user has zoomed in there.
    var shownTimes: ClosedRange<UInt64>?
    /// Requests that the model carries out after the message has been handled.
    var requests = Requests()
    /// The step whose event has not been found yet.
    var stepping: (step: TimeStep, walk: EventWalk)?

    /// The requests of a layer to the model.
    struct Requests {
        /// The place that the model goes to. The first screen that knows the place shows it.
        var target: Target?
        /// Whether the model scrolls to the selected task.
        var isFollowing = false
        /// Whether the shown time has changed.
        var hasTravelled = false
    }

    /// A place that a screen refers to without knowing which screen shows it.
    enum Target: Hashable, Sendable {
        /// An error, by the task that ended with it.
        case error(TaskID)
        case finding(FindingKey)
        case executor(ExecutorID)
        case task(TaskID)
        /// The tasks that were made at a place.
        case site(String)
        /// The samples of the job that ran longest on an executor.
        case longestJob(ExecutorID)
    }

    init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, warnings: WarningSettings) {
        self.history = history
        self.program = ShownProgram(name: program)
        self.size = size
        self.glyphs = glyphs
        findings = Findings(warnings)
    }

    /// The inspected program's state at the cursor. After a step, it can be another store.
    package var store: TraceStore { history.store }

    var isASCII: Bool { glyphs.isASCII }

    /// A sentence as the screens show it.
    func sentence(_ text: String) -> String { hasColours ? text.withBoldNames : text }

    /// Whether the inspector has started a program that still runs and that outlives it.
    var isProgramOpen: Bool { program.isHosting && program.takesInput && !program.hasProgramEnded }

    /// Whether the cursor is at the end of a trace that cannot grow.
    var isAtEnd: Bool { program.hasEnded && !history.hasMore && history.position == history.eventCount }

    /// Whether the cursor is at the program's end.
    var isOver: Bool { isAtEnd && program.sawExit }

    /// The word for a task's state in a column.
    func word(of state: DisplayedState) -> String { state.word(isOver: isOver) }

    /// The glyph and the words for a task's state where there is room: `✓ succeeded`, `▶ running at exit`.
    func span(of state: DisplayedState, _ emphasis: Emphasis = [], after blanks: String = "") -> Span {
        var span = state.span(glyphs, emphasis, after: blanks)
        if state == .running, isOver { span.text += " at exit" }
        return span
    }

    /// Notes that all events have arrived, and whether the program has ended.
    mutating func end(sawExit: Bool) {
        program.hasEnded = true
        program.sawExit = sawExit
        history.latest.end = sawExit ? .exit : .cut
    }

    /// Whether the program's gates hold jobs, because this inspector's user asked for it or for another reason.
    var isHolding: Bool { !program.hasEnded && (control.hasClosedGates || history.latest.heldCount > 0) }

    /// Whether the screen shows a moment that the user chose, or a recording. The event strip then shows the events around it.
    var isAtMoment: Bool { !history.isAtLatest || history.recording != nil }

    /// The scene of a demo, or the remark of a recording, at the cursor.
    var scene: String? {
        if isAtEndOfRecording, let way = program.wayThroughRemarks { return way }
        return program.scene(at: history.isAtLatest ? nil : store.now)
    }

    /// Whether the state after a recording's last event is shown, as when the recording was opened.
    var isAtEndOfRecording: Bool { history.isAtLatest && history.recording != nil }

    /// The time of the trace up to which waits are told beside findings, so that one wait has one number.
    var timeOfFindings: UInt64 { history.isAtLatest && findings.list != nil ? findings.traceTime : store.now }

    /// The words for events. The state at the cursor does not know tasks that begin later.
    var eventWords: TaskWords { TaskWords(store, orElse: history.latest) }

    /// The task that keys about one task concern: that of the marked row.
    var subject: TaskID? { cursor ?? selection }

    /// Selects a task for every screen, and scrolls to it on the shown screen.
    mutating func follow(_ task: TaskID) {
        selection = task
        followCount += 1
        requests.isFollowing = true
    }

    /// A duration in the spelling of the terminal.
    func duration(_ nanoseconds: UInt64?) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }

    /// The time since a moment that a task has run or waited, as far as the trace shows.
    func elapsed(since time: UInt64, of task: TaskID) -> String { store.elapsed(since: time, of: task, isASCII: isASCII) }

    /// The same on a screen that has findings, up to their time. What is younger than the findings is told up to now.
    func elapsedBesideFindings(since time: UInt64, of task: TaskID) -> String {
        let end = timeOfFindings
        return store.elapsed(since: time, of: task, until: end > time ? end : nil, isASCII: isASCII)
    }

    /// The sentence for a screen of executors without any. `text` is for a trace that shows each of them.
    func withoutExecutors(_ text: String) -> String {
        store.isSampled ? "Executors are not seen from outside, only the one that a task runs on or is queued on." : text
    }

    /// The name of a job: its task's, or that of a closure that belongs to no task.
    func name(of task: TaskID, closure label: EntryID = .none) -> String { TaskWords(store).name(of: task, closure: label) }
}
