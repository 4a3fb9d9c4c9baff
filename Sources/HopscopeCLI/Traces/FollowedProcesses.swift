import TraceTransport

/// The processes that a command follows, in the order in which it found them: each from the moment its trace appears until it is over.
/// One thread uses it.
final class FollowedProcesses<Process> {
    /// How to go on with a process.
    enum Course {
        case follow
        case end
        /// End, and begin again as if its trace had just appeared.
        case beginAgain
    }

    private var followed: [(path: String, process: Process)] = []
    /// The paths of the traces that it has seen and that still exist. They include those of processes that are not followed.
    private var known: Set<String> = []

    /// The followed processes.
    var all: [Process] { followed.map(\.process) }

    /// Calls `begin` for each trace that has appeared since the last call. `begin` returns nil for a process that is not to be followed.
    ///
    /// - Parameter traces: All traces that exist now.
    func add(_ traces: [PublishedTrace], begin: (PublishedTrace) -> Process?) {
        known.formIntersection(traces.map(\.path))
        for trace in traces where known.insert(trace.path).inserted {
            guard let process = begin(trace) else { continue }
            followed.append((trace.path, process))
        }
    }

    /// Calls `course` for each process, and stops following those that have ended.
    func update(_ course: (Process) -> Course) {
        followed = followed.filter { path, process in
            switch course(process) {
            case .follow: return true
            case .end: return false
            case .beginAgain:
                known.remove(path)
                return false
            }
        }
    }
}
