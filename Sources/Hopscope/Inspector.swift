import TaskEvents
@_exported import TaskRuntime
import TraceFile
import TraceStore
import TraceTransport

/// Watches what this program's tasks do: for other processes, or into a file.
///
/// ```swift
/// import Hopscope
///
/// try Inspector.publish()                         // `hopscope attach` finds the program from here on
/// let saved = ChainTask { try save() }            // everything as before
/// ```
///
/// It costs nothing until it is called. Publishing and recording may go on together, begun in any order and from any thread: they share what
/// the program emits. A program that is started with `HOPSCOPE=1` in its environment publishes without being asked to in its source;
/// `HOPSCOPE=/a/directory` puts the file there.
public enum Inspector {
    /// Makes the program attachable from now on, until ``Publication/stop()`` or its end.
    ///
    /// What it does is written to a file that only its user can read, in `$XDG_RUNTIME_DIR/hopscope` or, without that, in `hopscope-UID` in the
    /// temporary directory. `hopscope list` shows it, `hopscope attach` reads along, and the program never waits for either. If the program
    /// ends without stopping, however it ends, the file stays and can be read: `hopscope attach FILE` shows what happened last. Later programs
    /// remove such files when there are more than 16 of them, when they are older than a week, or when they take more than 256 MiB together.
    ///
    /// Publishing a second time is no error: it is the same file, which stays until both publications have been stopped.
    ///
    /// - Throws: a sentence that says why no file can be made: no directory of the user's own, or a full disk.
    @discardableResult
    public static func publish() throws -> Publication {
        Gatekeeper.takeCommands()
        return Publication(path: try ProcessTrace.shared.publish())
    }

    /// Records what the program does into a file, from now on until ``Recording/stop()``, or the program's end.
    ///
    /// ```swift
    /// let recording = try Inspector.record(to: "save.hop")
    /// let saved = ChainTask { try save() }
    /// saved.wait()
    /// try recording.stop()                            // hopscope replay save.hop
    /// ```
    ///
    /// A thread of its own writes the file, a tenth of a second behind at most; the program never waits for it. If the disk is slower than the
    /// program is busy, the events that found no room are counted and the recording says where they are missing. Several recordings may go
    /// on together. What the program had emitted before, and still has because it publishes, is in the file as well.
    ///
    /// - Parameter path: the file, which only its user can read. A recording that is there is overwritten; any other file is left as it is.
    /// - Throws: a sentence that says why it cannot be recorded: the file cannot be made, is no recording, or memory is short.
    public static func record(to path: String) throws -> Recording {
        try record(to: path) { try TraceFileWriter(path: path, header: TraceFileHeader(of: $0)) }
    }

    /// Records into a sink from what the lanes still hold, until the recording is stopped.
    package static func record(
        to path: String, into makeSink: (any LaneSource) throws -> sending some TraceSink
    ) throws -> Recording {
        let bus = try ProcessTrace.shared.join()
        do {
            return Recording(path: path, recorder: TraceRecorder(source: bus, sink: try makeSink(bus)))
        } catch {
            ProcessTrace.shared.leave()
            throw error
        }
    }
}
