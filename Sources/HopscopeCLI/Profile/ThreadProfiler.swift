import CThreadProfile
import TaskEvents
import TraceFile
import TraceTransport

/// Profiles the threads of one process by the kernel's performance events, which no signal announces to the process.
///
/// The thread that records the process's lanes uses it.
final class ThreadProfiler {
    private let source: ProcessProfile
    private let process: Int32
    private let start: UInt64
    private var losses = 0
    private var profile: ThreadProfile
    private var modules: LoadedModules

    init(of region: RegionFile, _ source: ProcessProfile) {
        self.source = source
        process = region.pid
        start = region.startMonotonic
        profile = ThreadProfile(hertz: source.hertz)
        modules = LoadedModules(of: region.pid)
    }

    /// Takes over what has come since the last call.
    func look() {
        let new = source.take(of: process, lossesFrom: losses)
        losses += new.losses.count
        takeLastSwitches(new.records.filter { $0.time < start })
        for record in new.records + new.losses where record.time >= start || record.kind == THREAD_PROFILE_UNSWITCHED.rawValue {
            take(record)
        }
    }

    /// A thread that had its processor when the trace began still has it.
    private func takeLastSwitches(_ records: [ProcessProfile.Record]) {
        let switches = records.filter { $0.kind != THREAD_PROFILE_SAMPLE.rawValue }
        let last = Dictionary(switches.map { ($0.thread, $0) }) { $0.time > $1.time ? $0 : $1 }
        for (thread, record) in last {
            guard let kind = ThreadProfile.Kind(rawValue: record.kind) else { continue }
            profile.append(.init(time: 0, thread: UInt32(bitPattern: thread), kind: kind))
        }
    }

    /// The records so far, as a part of the profile; nil if there are none, or fewer than `limit`.
    func take(from limit: Int) -> ThreadProfile? {
        guard profile.records.count >= max(1, limit) else { return nil }
        defer { profile = ThreadProfile(hertz: profile.hertz) }
        return profile
    }

    private func take(_ record: ProcessProfile.Record) {
        let time = record.time < start ? 0 : record.time - start
        let thread = UInt32(bitPattern: record.thread)
        guard let kind = ThreadProfile.Kind(rawValue: record.kind) else { return }
        switch kind {
        case .sample:
            // A return address stands behind its call.
            let stack = record.frames.enumerated().map { modules.place(of: $0.offset == 0 ? $0.element : $0.element &- 1) }
            profile.appendSample(of: thread, at: time, stack)
        case .lost, .unswitched:
            profile.append(.init(time: time, thread: thread, kind: kind, value: UInt32(clamping: record.count)))
        case .waited, .preempted, .resumed: profile.append(.init(time: time, thread: thread, kind: kind))
        }
    }
}

/// A recording with a profile of the program's threads.
struct ProfiledFile: TraceSink {
    let file: TraceFileWriter
    let profiler: ThreadProfiler

    func write(_ batch: TraceBatch) throws {
        profiler.look()
        try file.write(batch)
        if let part = profiler.take(from: 1 << 15) { try file.write(part) }
    }

    func finish(sawExit: Bool, at time: UInt64) throws {
        profiler.look()
        if let part = profiler.take(from: 1) { try file.write(part) }
        try file.finish(sawExit: sawExit, at: time)
    }
}
