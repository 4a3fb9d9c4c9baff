import Foundation
import TaskEvents
import TraceTransport

/// Finds the traces of this host's other processes, for a command that looks several times a second. Leaves out processes that ended before
/// the command began. Reading all traces costs more than most programs that run beside a server may use, so it asks the directories first.
/// One thread uses it.
struct PublishedTraces {
    /// The directories in which processes publish, and when each last got or lost a file.
    private var directories: [String: timespec] = [:]
    private let time: TimeSource
    private let start: UInt64
    /// In seconds of `time`.
    private var nextCheck: TimeInterval = 0
    private var nextSearch: TimeInterval = 0
    private var nextLook: TimeInterval = 0

    /// New traces are noticed after at most this many seconds.
    private static let checkInterval: TimeInterval = 0.5
    /// New directories are noticed after at most this many seconds.
    private static let searchInterval: TimeInterval = 2
    /// Changes on file systems without modification times are noticed after at most this many seconds.
    private static let lookInterval: TimeInterval = 30

    init(_ time: TimeSource) {
        self.time = time
        start = time.date
    }

    /// All traces; nil if none has come or gone since the last call.
    ///
    /// - Parameter always: Whether to look in any case.
    mutating func changed(always: Bool = false) -> [PublishedTrace]? {
        let now = time.seconds
        guard always || now >= nextCheck else { return nil }
        nextCheck = now + Self.checkInterval
        guard always || now >= nextSearch || directoriesHaveChanged() else { return nil }
        nextSearch = now + Self.searchInterval
        let paths = TraceDirectory.all().map(\.path)
        guard always || now >= nextLook || Set(paths) != Set(directories.keys) || directoriesHaveChanged() else { return nil }
        nextLook = now + Self.lookInterval
        directories = Dictionary(paths.map { ($0, Self.modification(of: $0)) }, uniquingKeysWith: { first, _ in first })
        return TraceArgument.published().filter { trace in
            trace.pid != getpid() && (trace.writer != .ended || trace.isYounger || trace.startRealtime >= start)
        }
    }

    private func directoriesHaveChanged() -> Bool {
        directories.contains { path, time in
            let now = Self.modification(of: path)
            return now.tv_sec != time.tv_sec || now.tv_nsec != time.tv_nsec
        }
    }

    private static func modification(of path: String) -> timespec {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mtim : timespec()
    }
}
