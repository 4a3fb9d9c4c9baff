import TaskEvents

/// This process's own lanes are read as any other's.
extension EventBus: LaneSource {
    /// Lanes in a file of a directory. The file has no name before ``publish()`` and is removed with the bus.
    package convenience init(_ options: Options = Options(), in directory: TraceDirectory) throws(TraceProblem) {
        try self.init(options, inDirectory: directory.descriptor)
    }
}
