/// Numbers and words that a Perfetto trace has in more than one place.
enum PerfettoWords {
    /// The `pid`: a trace is one process.
    static let process = 1
}
