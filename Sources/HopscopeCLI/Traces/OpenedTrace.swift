import Foundation
import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// An opened trace: the lanes of a process, or a recording.
enum OpenedTrace {
    /// The lanes of a process, which may still run.
    case lanes(RegionFile)
    case recording(TraceFileReader)

    /// Opens a trace file by its path. Throws an error for a file that is not a trace or is not trustworthy. Does not follow symbolic links
    /// and does not wait for pipes, because another user can have placed the file.
    init(path: String) throws {
        self = try Self.isRegion(path) ? .lanes(RegionFile(path: path)) : .recording(TraceFileReader(path: path))
    }

    /// The inspected program's name.
    var program: String {
        switch self {
        case .lanes(let region): region.program
        case .recording(let reader): reader.header.program
        }
    }

    /// The time at which the trace began, in nanoseconds since 1970.
    var startRealtime: UInt64 {
        switch self {
        case .lanes(let region): region.startRealtime
        case .recording(let reader): reader.header.startRealtime
        }
    }

    /// Whether the trace shows the program's end. A recording that does not say, from an earlier version or without its end, does not.
    var sawExit: Bool {
        switch self {
        case .lanes(let region): region.writer == .ended
        case .recording(let reader): reader.sawExit == true
        }
    }

    /// Whether no more events can arrive.
    var isOver: Bool {
        switch self {
        case .lanes(let region): region.writer == .ended
        case .recording: true
        }
    }

    /// Reads the events that the trace has now, folds them into a store and applies the rules. Prints a message if a part of the trace is
    /// damaged or lost.
    func read(_ settings: WarningSettings = WarningSettings(), time: TimeSource) -> TraceReading {
        let warnings = WarningEngine(settings: settings)
        let history = history(time) { history, _ in warnings.follow(history.latest) }
        return TraceReading(history: history, warnings: warnings.list(in: history.latest, isOver: history.latest.end == .exit), time: time)
    }

    /// Reads the events that the trace has now, and collects the steps of all tasks, without applying the rules.
    func readSteps(time: TimeSource) -> (store: TraceStore, steps: TaskSteps) {
        var steps = TaskSteps()
        let history = history(time) { _, stretches in for stretch in stretches { steps.add(stretch) } }
        steps.threadTimes = history.recording?.profile().map { ThreadTimes($0) }
        return (history.latest, steps)
    }

    /// Reads the events that the trace has now, a portion at a time, and calls `follow` with each.
    private func history(_ time: TimeSource, _ follow: (TraceHistory, [EventStretch]) -> Void) -> TraceHistory {
        // Asked before the read, because the process can end during the read.
        let sawExit = sawExit
        let all = Retention(endedTasks: .max)
        var limits = TraceHistory.Limits()
        // A command reads from the first event to the last, and never goes back to an earlier state.
        (limits.keyframeInterval, limits.fullEvents) = (.max, .max)
        let history: TraceHistory
        let progress = ProgressLine("Reading \(ListedTrace.name(program))", time)
        defer { progress.end() }
        switch self {
        case .lanes(let region):
            limits.liveEvents = min(Int(clamping: region.recordCount), .max - 1) + 1
            history = TraceHistory(TraceStore(retention: all), limits: limits)
            var merger = LaneMerger(source: region)
            merger.drain { batch in
                history.apply(batch)
                if history.latest.entries.symbols.isEmpty { history.latest.nameCode() }
                let first = max(1, history.latest.eventCount - batch.events.count + 1)
                follow(history, [EventStretch(first: first, events: batch.events, lanes: batch.lanes)])
                progress.show("\(CountText.text(history.eventCount)) events")
            }
            history.advance(to: region.now)
            progress.end()
            if region.damagedLanes > 0 { StandardError.say("\(region.damagedLanes) of its lanes are damaged: nothing is read of them.") }
        case .recording(let reader):
            history = TraceHistory(reader, retention: all, limits: limits)
            // Before the events, so that each task is called after its handler when it is read.
            history.latest.nameCode()
            while history.hasMore {
                follow(history, history.load(limit: Self.portion))
                progress.show(event: history.position, of: history.eventCount)
            }
            progress.end()
            for damage in reader.damage { StandardError.say(damage.description) }
            if !reader.isComplete {
                StandardError.say("The recording was cut off; all that was written before is shown.")
            } else if reader.sawExit == nil {
                StandardError.say("The recording does not say whether the program had ended, so nothing is said of its end.")
            }
        }
        history.latest.nameCode()
        history.latest.end = sawExit ? .exit : .cut
        return history
    }

    /// Events per batch between two passes of the rules. It is below the number of events that the store remembers.
    private static let portion = 1 << 16

    /// Whether the file holds lanes. Throws if the file's type, owner or permissions rule it out as a trace.
    private static func isRegion(_ path: String) throws(UserError) -> Bool {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw cannotOpen(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw cannotOpen(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw UserError("'\(path)' is a directory; name a trace in it.", .unreadable)
        case _: throw UserError("'\(path)' is not a file, and so no trace.", .unreadable)
        }
        guard status.st_size > 0 else { throw UserError("'\(path)' is empty, and so no trace.", .unreadable) }
        guard geteuid() == 0 || status.st_uid == geteuid() || status.st_uid == 0 else {
            throw UserError(
                "'\(path)' belongs to the user with id \(status.st_uid), so it is not read; make a copy of your own and name that.",
                .unreadable)
        }
        guard status.st_mode & S_IWOTH == 0 else {
            throw UserError(
                "'\(path)' can be written by every user, so its content cannot be trusted; 'chmod o-w' ends that.", .unreadable)
        }
        guard !isCore(descriptor) else {
            throw UserError("'\(path)' is a core file; 'hopscope ps \(path) --exe PROGRAM' tells what its tasks waited for.", .unreadable)
        }
        return TraceMagic(of: descriptor) == .lanes
    }

    /// Whether an ELF file says of itself that it is a core.
    private static func isCore(_ descriptor: Int32) -> Bool {
        var header = [UInt8](repeating: 0, count: 18)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return false }
        return header.starts(with: [0x7F, 0x45, 0x4C, 0x46]) && header[16] == UInt8(ET_CORE)
    }

    private static func cannotOpen(_ path: String, _ error: Int32) -> UserError {
        switch error {
        case ENOENT, ENOTDIR: UserError("There is no file '\(path)'.", .noSuchFile)
        case ELOOP: UserError("'\(path)' is a symbolic link, which is not followed; name the file that it leads to.", .unreadable)
        case EACCES, EPERM: UserError("'\(path)' may not be read by you.", .unreadable)
        case _: UserError("'\(path)' could not be opened: \(String(cString: strerror(error))).", .unreadable)
        }
    }
}
