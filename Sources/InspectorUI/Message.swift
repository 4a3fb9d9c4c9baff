import TaskEvents
import TerminalCanvas
import TraceTransport

/// An input of the inspector. Every change of its model arrives as a message.
package enum Message: Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Text that the terminal pasted as a whole.
    case paste(String)
    case resize(Size)
    /// The history has taken more events.
    case traced
    /// The trace now has names for earlier tasks and errors.
    case named
    /// Shows the trace at an event, or at the latest event if nil. Derived state is computed again.
    case look(at: Int?)
    /// The inspector waits for the answer to this command. Nil if it waits for none.
    case awaits(Control?)
    /// The inspected program's answer to a command.
    case answered(Control, ControlAnswer)
    /// The editor could not be opened, for this reason.
    case couldNotEdit(String)
    /// The inspected program printed these bytes at this time of the trace.
    case printed([UInt8], at: UInt64)
    /// From this time of the trace on, this is what there is to see.
    case scene(String, at: UInt64)
    /// The program's processes that record tasks, the busiest first.
    case processes([ProgramProcess])
    /// The started program has ended. It prints nothing more and reads no input.
    case programEnded
    /// The program has ended. No further event comes.
    case ended
    /// The trace has ended, and does not show that the program did. No further event comes.
    case cut
    /// An order that a screen asked for has ended, or was not run.
    case ordered(OrderAnswer)
    /// The next frame is due at this time in nanoseconds. Lists are sorted and windows laid out.
    case frame(at: UInt64)
    /// The inspector is to end.
    case terminate
}

/// An action that an update requests from its surroundings.
package enum Effect: Hashable, Sendable {
    case quit
    /// Paints the whole terminal again, whatever its contents.
    case repaint
    /// Sends a command to the inspected program.
    case control(Control)
    /// Sends the inspected program the bytes that a terminal would send.
    case type([UInt8])
    /// Ends the program that the inspector has started.
    case endProgram
    /// Gives the inspected program's terminal a new size.
    case resizeOutput(Size)
    /// Shows the trace of another process of the program.
    case show(ProgramProcess)
    /// Opens a source file in the user's editor.
    case edit(SourceFile, line: Int)
    /// Changes the colours.
    case use(Theme)
    /// Copies a text to the clipboard.
    case copy(String)
    /// Runs the shown order once more, with this strand at the choice with this number.
    case runOrder(choice: Int, strand: UInt32)
    /// Saves the settings.
    case save(InspectorSettings)
}
