import CThreadProfile
import Foundation
import TaskEvents
import TraceFile
import TraceTransport

/// Profiles the threads of a process by the kernel's performance events, which no signal announces to the process.
///
/// The thread that records the process's lanes uses it.
final class ThreadProfiler {
    /// Samples a second of processor time, if the user gives no number. It is no divisor of a round number, so that it does not run in step
    /// with a program's timers.
    static let usualHertz: UInt32 = 99

    private let handle: OpaquePointer
    private let process: Int32
    private let start: UInt64
    private var profile: ThreadProfile
    private var modules: LoadedModules

    /// Throws a sentence that says which setting forbids it.
    init(of region: RegionFile, hertz: UInt32) throws(UserError) {
        guard let handle = thread_profile_begin(region.pid, hertz) else { throw Self.refusal(errno, of: region.pid) }
        self.handle = handle
        process = region.pid
        start = region.startMonotonic
        profile = ThreadProfile(hertz: hertz)
        modules = LoadedModules(of: region.pid)
    }

    deinit {
        thread_profile_end(handle)
    }

    /// A sentence about samples that the kernel does not give. Nil if it gives all.
    var gap: String? {
        guard thread_profile_is_user_only(handle) else { return nil }
        return "The profile has no samples of system calls: kernel.perf_event_paranoid is \(thread_profile_paranoid()), and 1 allows them."
    }

    private static func refusal(_ error: Int32, of process: Int32) -> UserError {
        let reason =
            switch error {
            case EACCES, EPERM: "kernel.perf_event_paranoid is \(thread_profile_paranoid()); 'hopscope doctor' says what allows it"
            case ENOENT, ENOSYS: "the kernel has no performance events"
            case ENOMEM, EMFILE: "there is not enough memory for its rings, or too many files are open"
            case _: String(cString: strerror(error))
            }
        return UserError("Process \(process) cannot be profiled: \(reason).", .cannotStart)
    }

    /// Takes over what has come since the last call.
    func look() {
        thread_profile_read(
            handle,
            { context, record in
                guard let context, let record else { return }
                Unmanaged<ThreadProfiler>.fromOpaque(context).takeUnretainedValue().take(record)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The records so far, as a part of the profile; nil if there are none, or fewer than `limit`.
    func take(from limit: Int) -> ThreadProfile? {
        guard profile.records.count >= max(1, limit) else { return nil }
        defer { profile = ThreadProfile(hertz: profile.hertz) }
        return profile
    }

    private func take(_ record: UnsafePointer<thread_profile_record>) {
        // Processes that the process has started are profiled, too, but have traces of their own.
        guard record.pointee.process == process, record.pointee.time >= start else { return }
        let time = record.pointee.time - start
        let thread = UInt32(bitPattern: record.pointee.thread)
        guard let kind = ThreadProfile.Kind(rawValue: record.pointee.kind) else { return }
        switch kind {
        case .sample:
            let stack = withUnsafeBytes(of: record.pointee.frames) { bytes in
                bytes.bindMemory(to: UInt64.self).prefix(Int(record.pointee.frame_count)).enumerated().map { index, address in
                    // A return address stands behind its call.
                    modules.place(of: index == 0 ? address : address &- 1)
                }
            }
            profile.appendSample(of: thread, at: time, stack)
        case .lost: profile.append(.init(time: time, thread: thread, kind: kind, value: UInt32(clamping: record.pointee.count)))
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

    func finish(sawExit: Bool) throws {
        profiler.look()
        if let part = profiler.take(from: 1) { try file.write(part) }
        try file.finish(sawExit: sawExit)
    }
}
