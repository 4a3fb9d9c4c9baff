import TaskEvents

/// The lanes of this process are read in the same way as those of another process.
extension EventBus: LaneSource {
    /// Creates lanes in a file of a directory. The file has no name before ``publish()`` and is removed with the bus.
    package convenience init(_ options: Options = Options(), in directory: TraceDirectory) throws(TraceProblem) {
        try self.init(options, inDirectory: directory.descriptor)
    }
}
