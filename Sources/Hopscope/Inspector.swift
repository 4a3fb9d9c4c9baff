import TaskEvents
@_exported import TaskRuntime
import TraceFile
import TraceStore
import TraceTransport

/// Traces this program's tasks, for other processes or into a file.
///
/// ```swift
/// import Hopscope
///
/// try Inspector.publish()                         // `hopscope attach` finds the program from here on
/// let saved = ChainTask { try save() }            // everything as before
/// ```
///
/// The inspector costs nothing until the program calls it. Publishing and recording can run together and start in any order, from any
/// thread; both read the same events. A program started with `HOPSCOPE=1` in its environment publishes without a call in its source.
/// `HOPSCOPE=/a/directory` also selects the directory of the file.
public enum Inspector {
    /// Lets `hopscope attach` connect to the program, from now until ``Publication/stop()`` or the program's end.
    ///
    /// The trace goes to a file that only the program's user can read, in `$XDG_RUNTIME_DIR/hopscope` or, if that variable is not set, in
    /// `hopscope-UID` in the temporary directory. `hopscope list` lists the file and `hopscope attach` reads it live. The program never
    /// waits for either command. If the program ends without a call to `stop()`, even by a crash, the file remains, and its last events can
    /// be shown with `hopscope attach FILE`. Later programs remove such files when there are more than 16 of them, when they are older than
    /// a week, or when they exceed 256 MiB in total.
    ///
    /// Publishing twice is not an error: both publications share one file, which remains until both are stopped.
    ///
    /// - Throws: the reason why the file cannot be created, for example because the user has no directory of their own or the disk
    ///   is full.
    @discardableResult
    public static func publish() throws(HopscopeError) -> Publication {
        Gatekeeper.takeCommands()
        return Publication(path: try HopscopeError.wrap { try ProcessTrace.shared.publish() })
    }

    /// Records the program's events into a file, from now until ``Recording/stop()`` or the program's end.
    ///
    /// ```swift
    /// let recording = try Inspector.record(to: "save.hop")
    /// let saved = ChainTask { try save() }
    /// saved.wait()
    /// try recording.stop()                            // hopscope replay save.hop
    /// ```
    ///
    /// A separate thread writes the file, at most a tenth of a second behind. The program never waits for it. If the program emits events
    /// faster than the disk accepts them, events that find no room are counted, and the recording marks where they are missing. Several
    /// recordings can run together. If the program also publishes, the file also contains the earlier events that the program still holds.
    ///
    /// - Parameter path: the path of the file, which only its user can read. An existing recording is overwritten. Any other existing file
    ///   is not changed.
    /// - Throws: the reason why the program cannot record: the file cannot be created, the existing file is not a recording, or
    ///   memory is short.
    public static func record(to path: String) throws(HopscopeError) -> Recording {
        try record(to: path) { try TraceFileWriter(path: path, header: TraceFileHeader(of: $0)) }
    }

    /// Records into a sink until the recording is stopped. Starts with the events that the lanes still hold.
    package static func record(
        to path: String, into makeSink: (any LaneSource) throws -> sending some TraceSink
    ) throws(HopscopeError) -> Recording {
        let bus = try HopscopeError.wrap { try ProcessTrace.shared.join() }
        do {
            return Recording(path: path, recorder: try TraceRecorder(source: bus, sink: makeSink(bus)))
        } catch {
            ProcessTrace.shared.leave()
            throw HopscopeError(error)
        }
    }
}
