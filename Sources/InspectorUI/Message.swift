import TaskEvents
import TerminalCanvas
import TraceTransport

/// What can happen to the inspector: everything that changes its model arrives as one of these.
package enum Message: Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Text pasted as a whole.
    case paste(String)
    case resize(Size)
    /// The history has taken more events.
    case traced
    /// Names have been found for tasks and errors that were there before.
    case named
    /// The trace is to be shown as of an event, or as of the latest: whatever is derived from it is derived anew.
    case look(at: Int?)
    /// What the inspected program answered to a command.
    case answered(Control, ControlAnswer)
    /// The inspected program printed this, at that moment of the trace.
    case printed([UInt8], at: UInt64)
    /// These of the program's processes record tasks, the busiest first.
    case processes([ProgramProcess])
    /// The program that was started has ended: it prints nothing more, and reads nothing that is typed.
    case programEnded
    /// The trace has ended: no event comes any more.
    case ended
    /// A frame is about to be drawn, at this time in nanoseconds: lists are sorted and windows laid out.
    case frame(at: UInt64)
    /// The inspector is asked to end.
    case terminate
}

/// What an update asks of the world.
package enum Effect: Hashable, Sendable {
    case quit
    /// Paint the whole terminal again, whatever is on it.
    case repaint
    /// Have the inspected program do something.
    case control(Control)
    /// Give the inspected program what a terminal would send.
    case type([UInt8])
    /// The inspected program's part of the screen has another size.
    case resizeOutput(Size)
    /// Show what a process of the program records.
    case watch(ProgramProcess)
    /// Show everything in other colours.
    case use(Theme)
    /// Put a text on the clipboard.
    case copy(String)
    /// Keep the settings.
    case save(InspectorSettings)
}
