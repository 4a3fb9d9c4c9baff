import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// The state that all screens share: the trace, the terminal, the selected task, the settings. Screens change it while they handle a message.
///
/// The history is the inspected program's trace and is held by reference: one thread feeds it, updates and draws. What is shown is the state
/// at its cursor.
package struct SharedState {
    package let history: TraceHistory
    package let program: String
    package let glyphs: GlyphSet
    package internal(set) var size: Size
    package internal(set) var settings = InspectorSettings()
    /// The task that is selected on every screen. It stays with the task, wherever the task's row goes.
    package internal(set) var selection: TaskID?
    /// How often a task or an executor has been selected for every screen: see ``follow(_:)``.
    private(set) var followCount = 0
    /// The executor that was followed last, if it was followed after the last task.
    private(set) var followedExecutor: ExecutorID?
    /// The findings of the rules.
    package internal(set) var findings: Findings
    /// The errors up to the cursor, by origin.
    var faults = FaultList()
    /// Why the last key did nothing, until the next key.
    package internal(set) var notice: String?
    package internal(set) var hasEnded = false
    /// The gates of the program that are held because it was asked for here.
    package internal(set) var heldScopes: Set<ControlScope> = []
    /// The command that the program has not answered yet.
    package internal(set) var awaitedAnswer: Control?
    /// The job that a run is to stop at, until the run has stopped.
    var soughtJob: JobCondition?
    /// From this time on nothing is missing: an inspector that attaches late finds lanes that have been overrun.
    package internal(set) var completeSince: UInt64 = 0
    /// Why the program takes no commands at all. Nil if it takes some.
    package internal(set) var controlRefusal: String?
    /// How the events are had, if the program does not emit them itself.
    package internal(set) var route: String?
    /// Whether the inspector has started the program, so that it shows what the program prints.
    package internal(set) var isHosting = false
    /// The processes of the program that record tasks, the busiest first, and the number of the one that is shown.
    package internal(set) var processes: [ProgramProcess] = []
    package internal(set) var shownProcess: Int32?
    /// Requests that the model carries out after the message has been handled.
    var requests = Requests()

    /// What a screen asks of the model.
    struct Requests {
        /// The task whose detail is to be opened.
        var detail: TaskID?
        /// Whether the executor that is followed is to be shown.
        var isShowingExecutor = false
        /// The place to go to. The first screen that knows the place shows it.
        var place: Place?
        /// Whether the selected task is to be brought into sight.
        var isFollowing = false
        /// Whether the state is that of another time.
        var hasTravelled = false
    }

    /// A place that a screen leads to without knowing which screen shows it.
    enum Place: Hashable, Sendable {
        /// An error, by the task that ended with it.
        case error(TaskID)
        case finding(FindingPlace)
        case executor(ExecutorID)
    }

    init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, warnings: WarningSettings) {
        self.history = history
        self.program = program
        self.size = size
        self.glyphs = glyphs
        findings = Findings(warnings)
    }

    /// The inspected program's state at the cursor. After a step it may be another store.
    package var store: TraceStore { history.store }

    var isASCII: Bool { glyphs.isASCII }

    /// Whether the cursor is at the end of a trace that nothing is added to.
    var isOver: Bool { hasEnded && !history.hasMore && history.position == history.eventCount }

    /// The program has ended and all its events are here: what has not happened never will.
    mutating func end() {
        hasEnded = true
        history.latest.isOver = true
    }

    /// Whether the program's gates hold jobs: because it was asked for here, or because jobs wait there that something else has held.
    var isHolding: Bool { !hasEnded && (!heldScopes.isEmpty || history.latest.heldCount > 0) }

    /// Whether the screen shows a moment that the user chose, or a recording: the events around it then stand in the event strip.
    var isAtMoment: Bool { !history.isAtLatest || history.recording != nil }

    /// The words for events. The state at the cursor does not know tasks that begin later.
    var eventWords: TaskWords { TaskWords(store, orElse: history.latest) }

    /// Opens a task's detail.
    mutating func open(_ task: TaskID) {
        requests.detail = task
    }

    /// Selects a task for every screen, and brings it into sight on the one that is shown.
    mutating func follow(_ task: TaskID) {
        selection = task
        followCount += 1
        followedExecutor = nil
        requests.isFollowing = true
    }

    /// Goes to an executor.
    mutating func follow(_ executor: ExecutorID) {
        followCount += 1
        followedExecutor = executor
        requests.isShowingExecutor = true
    }

    /// A duration in the spelling of the terminal.
    func duration(_ nanoseconds: UInt64?) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }

    /// The name of a job: its task's, or that of a closure that belongs to no task.
    func name(of task: TaskID, closure label: EntryID = .none) -> String { TaskWords(store).name(of: task, closure: label) }
}
