import TaskEvents
import TerminalCanvas
import TraceTransport

/// What a key can do, whatever the screen makes of it. What only one screen knows is in an enum of its own.
enum Command: Hashable, Sendable {
    case move(Movement)
    case open, back
    case nextScreen, previousScreen
    case time(TimeCommand)
    case control(ControlCommand)
    case screen(ScreenName)
    case tasks(TasksCommand)
    case filter(FilterCommand)
    case graph(GraphCommand)
    case faults(FaultsCommand)
    case hops(HopsCommand)
    case timeline(TimelineCommand)
    case warnings(WarningsCommand)
    case output(OutputCommand)
    case palette(PaletteCommand)
    /// Shows what a process of the program tells, by its number.
    case process(Int32)
    case theme(Theme)
    /// Shows or hides a column of the task list.
    case column(TaskColumn)
    case copy
    case help, quit, repaint
}

/// A way to go: in a list, along a chain, or with the view.
enum Movement: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, first, last

    /// Where it leads from a row of a list; nil for the ways sideways.
    func row(from row: Int, count: Int, page: Int) -> Int? {
        let target: Int
        switch self {
        case .up: target = row - 1
        case .down: target = row + 1
        case .pageUp: target = row - max(1, page - 1)
        case .pageDown: target = row + max(1, page - 1)
        case .first: target = 0
        case .last: target = count - 1
        case .left, .right: return nil
        }
        return max(0, min(target, count - 1))
    }

    /// How many lines it leads on; nil for the ways sideways and to the ends.
    func lines(page: Int) -> Int? {
        switch self {
        case .up: -1
        case .down: 1
        case .pageUp: -max(1, page - 1)
        case .pageDown: max(1, page - 1)
        case .first, .last, .left, .right: nil
        }
    }
}

/// What only the Tasks screen can do.
enum TasksCommand: Hashable, Sendable {
    case filter, sortNext, sortPrevious, reverse
    /// The column that is sorted by changes places with its neighbour.
    case columnLeft, columnRight
    /// By something else, or not at all.
    case group
    /// The selected task's group, these or all: the heading alone, or with its tasks.
    case foldGroup, foldAllGroups
}

/// What keys do while a filter is typed.
enum FilterCommand: Hashable, Sendable {
    case accept, clear, erase, complete
}

/// What only the Graph screen can do.
enum GraphCommand: Hashable, Sendable {
    case follow
    /// Rails or boxes.
    case face
    /// Long runs of siblings, these or all: one line, or their rows.
    case fold, foldAll
    case zoomIn, zoomOut
    case panLeft, panRight, panUp, panDown
}

/// The walk along the path of an error.
enum FaultsCommand: Hashable, Sendable {
    case nextStep, previousStep
}

/// What only the Hops screen can do.
enum HopsCommand: Hashable, Sendable {
    case sort
    /// To main's stalls, and back to the matrix.
    case mainQueue
}

/// What only the Timeline screen can do.
enum TimelineCommand: Hashable, Sendable {
    case zoomIn, zoomOut, panLeft, panRight
    case whole, follow
    /// A line a thread, or a line an executor's thread.
    case threads
    /// The time cursor to the beginning of the job that is looked at.
    case cursor
}

/// What only the Warnings screen can do. Settings are changed for as long as the inspector runs.
enum WarningsCommand: Hashable, Sendable {
    /// Along the events that prove the findings of a kind.
    case nextEvidence, previousEvidence
    /// Leaves out what the rule says of tasks with the selected one's name.
    case suppress
    /// Doubles or halves the rule's threshold.
    case raise, lower
    /// Takes back every change.
    case reset
}

/// What only the Output screen can do.
enum OutputCommand: Hashable, Sendable {
    case search, next, previous
    case follow
    /// Keys are the inspector's again.
    case leave
    /// What keys do while a search is typed.
    case keepSearch, dropSearch, eraseSearch
}

/// Where the cursor goes in time.
enum TimeCommand: Hashable, Sendable {
    /// Stay at this event, or go on with what comes.
    case pause
    case back(TimeStep)
    case forward(TimeStep)
    /// With the latest event again; there already, to the end of the list.
    case latest
}

/// What one steps by through the events.
enum TimeStep: Hashable, Sendable {
    case event, fault, hop
    /// Of the chain that the selected task is in.
    case chain
}

/// What is asked of the inspected program.
enum ControlCommand: Hashable, Sendable {
    /// Hold all jobs that come, or let them go again.
    case hold
    case step, stepInto
    case runToFault, runToMainHop
    /// Lets the palette ask for a query.
    case askForJob
    case runTo(JobCondition)
    /// Hold the selected executor's jobs, or let them go again.
    case holdExecutor
    case cancel, fault
}

/// What keys do in the command palette.
enum PaletteCommand: Hashable, Sendable {
    case open, run, erase
}
