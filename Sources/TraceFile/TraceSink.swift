import TaskEvents

/// Where a recording goes: a file.
///
/// A sink is used by one thread at a time: the recorder's, and at last the one that stops it.
package protocol TraceSink {
    /// Takes what came next, in the trace's one order. Names and errors that the events refer to are in `batch.source`'s table by now. A batch
    /// without events says that none have come for a while: what is held back had better be written.
    mutating func write(_ batch: TraceBatch) throws

    /// Completes the file; nothing is written after it.
    mutating func finish() throws
}
