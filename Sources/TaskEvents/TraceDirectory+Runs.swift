#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Folders inside a directory of regions, one for each run of a command whose programs publish there.
extension TraceDirectory {
    private static let runPrefix = "run-"

    /// Makes a folder for a run of this process. It is this process's for as long as the answer is held; a process that is killed leaves one
    /// that somebody else's ``prune(_:now:)`` removes.
    package func beginRun() throws(TraceProblem) -> TraceDirectory {
        let run = try TraceDirectory(path: "\(path)/\(Self.runPrefix)\(getpid())", makingIt: true)
        // Nobody holds it but who made it. Where a file system has no locks, age alone decides.
        _ = flock(run.descriptor, LOCK_EX | LOCK_NB)
        return run
    }

    /// Removes the folders of runs that are over, with all that is in them; none where a program of the run still writes. Returns their names.
    ///
    /// - Parameter now: seconds since 1970. A folder that was written to within the last minute may be about to be used.
    func pruneRuns(now: Int) -> [String] {
        names().filter { name in
            guard name.hasPrefix(Self.runPrefix), let run = try? TraceDirectory(path: "\(path)/\(name)"), run.isOver(now: now) else {
                return false
            }
            for file in run.names() where file != "." && file != ".." { unlinkat(run.descriptor, file, 0) }
            return unlinkat(descriptor, name, AT_REMOVEDIR) == 0
        }
    }

    private func isOver(now: Int) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, now - Int(status.st_mtim.tv_sec) > 60 else { return false }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && traces().allSatisfy { $0.writer == .ended }
    }
}
