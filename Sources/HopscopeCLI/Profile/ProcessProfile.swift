import CThreadProfile
import Foundation
import TaskEvents

/// The performance events of a running process, or of the programs that this process will start, sorted by process.
///
/// The kernel writes the events into one ring for each processor. Any thread may read them.
final class ProcessProfile: Sendable {
    /// An event of a thread, as the kernel reported it.
    struct Record {
        /// Nanoseconds of `CLOCK_MONOTONIC`.
        var time: UInt64
        var thread: Int32
        var kind: UInt32
        /// The number of missing records, of a loss; of the end of the switches, how many there were a second.
        var count: UInt64
        /// The addresses of a sample's stack, innermost call first.
        var frames: [UInt64]
    }

    private struct State {
        let handle: OpaquePointer
        var records: [Int32: [Record]] = [:]
        /// Losses, and the end of the switches, concern every process.
        var losses: [Record] = []
        /// The processes whose records someone takes.
        var taken: Set<Int32> = []
        /// The number of records of the other processes.
        var waiting = 0

        mutating func take(_ record: UnsafePointer<thread_profile_record>) {
            let source = record.pointee
            let count = Int(source.frame_count)
            let frames = withUnsafeBytes(of: source.frames) { Array($0.bindMemory(to: UInt64.self).prefix(count)) }
            let taken = Record(
                time: source.time, thread: source.thread, kind: source.kind, count: source.count, frames: frames)
            guard source.kind != THREAD_PROFILE_LOST.rawValue, source.kind != THREAD_PROFILE_UNSWITCHED.rawValue else {
                return losses.append(taken)
            }
            records[source.process, default: []].append(taken)
            if !self.taken.contains(source.process) { waiting += 1 }
        }
    }

    /// The profile keeps at most this many records of processes that no recorder has asked for.
    private static let limit = 1 << 16

    let hertz: UInt32
    private let state: Guarded<State>

    /// Profiles a process that runs, and those that it will start. Throws a sentence that says which setting forbids it.
    convenience init(of process: Int32, _ rates: ProfileRates) throws(UserError) {
        try self.init("Process \(process)", process, rates)
    }

    /// Profiles the programs that this thread will start, from their first instruction. Throws a sentence that says which setting forbids
    /// it.
    convenience init(ofStartedPrograms rates: ProfileRates) throws(UserError) {
        try self.init("The program", 0, rates)
    }

    private init(_ name: String, _ process: Int32, _ rates: ProfileRates) throws(UserError) {
        guard let handle = thread_profile_begin(process, rates.hertz, rates.switches) else {
            let refusal = ProfileRefusal(error: errno)
            let hint = refusal.advice == nil ? "" : "; 'hopscope doctor' says what allows it"
            throw UserError("\(name) cannot be profiled: \(refusal.reason)\(hint).", .cannotStart)
        }
        hertz = rates.hertz
        state = Guarded(State(handle: handle))
    }

    deinit {
        state.withLock { thread_profile_end($0.handle) }
    }

    /// A profile of the programs that this thread will start. Nil if none is asked for. If the kernel refuses it, says so.
    static func ofStartedPrograms(_ rates: ProfileRates?) -> ProcessProfile? {
        guard let rates else { return nil }
        return said { () throws(UserError) in try ProcessProfile(ofStartedPrograms: rates) }
    }

    /// A profile of a process that runs. Nil if none is asked for. If the kernel refuses it, says so.
    static func ofProcess(_ process: Int32, _ rates: ProfileRates?) -> ProcessProfile? {
        guard let rates else { return nil }
        return said { () throws(UserError) in try ProcessProfile(of: process, rates) }
    }

    private static func said(_ begin: () throws(UserError) -> ProcessProfile) -> ProcessProfile? {
        do throws(UserError) {
            let profile = try begin()
            if profile.isUserOnly {
                let reason = ProfileRefusal(error: 0).reason
                StandardError.say("The profile has no samples of system calls: \(reason), and 1 allows them.")
            }
            return profile
        } catch {
            error.say()
            return nil
        }
    }

    /// Whether the kernel gives no samples of system calls.
    private var isUserOnly: Bool { state.withLock { thread_profile_is_user_only($0.handle) } }

    /// Makes room in the kernel's rings. Call it from time to time while no process is recorded yet.
    func look() {
        state.withLock { Self.read(&$0) }
    }

    /// The records of a process since the last call, and the losses from the `losses`-th on.
    func take(of process: Int32, lossesFrom losses: Int) -> (records: [Record], losses: [Record]) {
        state.withLock { state in
            Self.read(&state)
            let records = state.records.removeValue(forKey: process) ?? []
            if state.taken.insert(process).inserted { state.waiting -= records.count }
            return (records, Array(state.losses.dropFirst(losses)))
        }
    }

    private static func read(_ state: inout State) {
        let handle = state.handle
        withUnsafeMutablePointer(to: &state) { pointer in
            thread_profile_read(
                handle,
                { context, record in
                    guard let context, let record else { return }
                    context.assumingMemoryBound(to: State.self).pointee.take(record)
                }, pointer)
        }
        guard state.waiting > limit else { return }
        // Keeps the later half of each: a process that will be recorded soon has only just begun.
        for (process, records) in state.records where !state.taken.contains(process) {
            let kept = records.count > 1 ? Array(records.suffix(records.count / 2)) : nil
            state.records[process] = kept
            state.waiting -= records.count - (kept?.count ?? 0)
        }
    }
}
