import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// All that the inspector knows about itself. Drawing is a function of it, `update` its only writer.
///
/// The history is the inspected program's trace and is held by reference: one thread feeds it, updates and draws. What is shown is the state
/// at its cursor. What the model keeps beside it are choices of the user, and lists derived from the state at the calm pace of
/// `Message.frame`.
package struct Model {
    package let history: TraceHistory
    package let program: String
    package let glyphs: GlyphSet
    package internal(set) var size: Size
    package internal(set) var screen = ScreenName.tasks
    /// The task that Tasks and Graph have selected; it stays with the task, wherever its row goes.
    package internal(set) var selection: TaskID?
    package internal(set) var detail: DetailState?
    package internal(set) var help: HelpState?
    package internal(set) var palette: PaletteState?
    package internal(set) var theme = Theme.automatic
    package internal(set) var hasEnded = false
    /// The gates of the program that are held by what was asked of it here.
    package internal(set) var heldScopes: Set<ControlScope> = []
    /// The job that a run is to stop at, until it has.
    var soughtJob: JobCondition?
    /// From this time on nothing is missing: whoever attaches late finds lanes that have been overrun.
    package internal(set) var completeSince: UInt64 = 0
    /// Why the last key did nothing, until the next one.
    package internal(set) var notice: String?
    package internal(set) var tasks = TasksState()
    package internal(set) var graph = GraphState()
    package internal(set) var executors = ExecutorsState()
    package internal(set) var swimlanes = SwimlanesState()
    package internal(set) var faults = FaultsState()
    package internal(set) var hops = HopsState()
    package internal(set) var warnings: WarningsState
    /// Where the inspector has started the program: what it printed.
    package internal(set) var output: OutputState?
    /// The processes of the program that tell of tasks, the busiest first, and the number of the one that is shown.
    package internal(set) var processes: [ProgramProcess] = []
    package internal(set) var shownProcess: Int32?
    /// Whether the user has done anything yet.
    package internal(set) var isTouched = false

    /// - Parameters:
    ///   - program: the inspected program's name.
    ///   - glyphs: what the terminal can show.
    ///   - settings: what the user wants to be warned of.
    package init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, settings: WarningSettings = WarningSettings()) {
        warnings = WarningsState(settings)
        self.history = history
        self.program = program
        self.size = size
        self.glyphs = glyphs
    }

    /// The inspected program's state at the cursor. After a step it may be another store.
    package var store: TraceStore { history.store }

    /// The least size at which every screen is usable.
    package static let smallestSize = Size(columns: 60, rows: 16)

    var isLargeEnough: Bool {
        size.columns >= Self.smallestSize.columns && size.rows >= Self.smallestSize.rows
    }

    /// Who listens to the keys.
    var context: Context {
        if palette != nil { return .palette }
        if help != nil { return .help }
        return contextBelow
    }

    /// Who listens when nothing lies over the screen.
    var contextBelow: Context {
        if detail != nil { return .detail }
        switch screen {
        case .tasks: return tasks.isTyping ? .filter : .tasks
        case .graph: return graph.showsBoxes ? .boxes : .graph
        case .executors: return .executors
        case .timeline: return .timeline
        case .faults: return .faults
        case .hops: return .hops
        case .warnings: return .warnings
        case .output where output?.isTyping == true: return .console
        case .output: return output?.isSearching == true ? .search : .output
        }
    }

    /// Whether lists are on their way to what the store says, so that another frame is of use though nothing happens.
    package var isArranging: Bool {
        if graph.waitingCount > 0 { return true }
        // While a trace goes on, the next event brings the list up to date.
        if !history.isAtLatest || isOver, !warnings.isSettled(at: history.position, isOver: isOver) { return true }
        switch screen {
        case .tasks: return tasks.order.isBusy || tasks.order.eventCount != store.eventCount
        case .graph: return !graph.showsBoxes && !graph.isSettled
        case .executors, .timeline, .output: return false
        case .faults: return faults.isBusy
        case .hops: return hops.isBusy || hops.eventCount != store.eventCount
        case .warnings: return !warnings.isSettled(at: store.eventCount, isOver: isOver)
        }
    }

    /// The screens that there is something for.
    var screens: [ScreenName] { output == nil ? ScreenName.ofTraces : ScreenName.allCases }

    /// Whether the cursor is at the end of a trace that nothing is added to.
    var isOver: Bool { hasEnded && !history.hasMore && history.position == history.eventCount }

    var areas: FrameAreas { FrameAreas(size: size) }
}

/// Where the parts of every screen lie.
struct FrameAreas {
    let header: Rect
    let tabs: Rect
    let body: Rect
    let footer: Rect

    init(size: Size) {
        let whole = Rect(column: 0, row: 0, columns: size.columns, rows: size.rows)
        let (header, belowHeader) = whole.split(top: 1)
        let (tabs, belowTabs) = belowHeader.split(top: 1)
        let (footer, body) = belowTabs.split(bottom: 1)
        self.header = header
        self.tabs = tabs
        self.body = body
        self.footer = footer
    }
}
