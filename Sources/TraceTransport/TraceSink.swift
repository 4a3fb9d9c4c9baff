/// A destination of a recording: a file.
///
/// One thread at a time uses a sink: the recorder's thread, and finally the thread that stops it.
package protocol TraceSink {
    /// Takes the next events of the merged order. The table of `batch.source` already has the names and errors that they refer to. An empty
    /// batch reports that no events have come for a while, so the sink should write the events that it holds back.
    mutating func write(_ batch: TraceBatch) throws

    /// Completes the file. Nothing is written afterwards.
    ///
    /// - Parameters:
    ///   - sawExit: whether the program had ended before its last events were read.
    ///   - time: the time until which the trace is known, at or after its last event; 0 for that of the last event.
    mutating func finish(sawExit: Bool, at time: UInt64) throws
}
