import CTraceLanes
import TaskEvents

/// The region that this process records into, and the count of its users.
///
/// A process has one region. A program may record, publish and open the inspector in any order, and all three share the region. The region
/// is therefore a file from the start, without a name until it is published. If no file can be created, recording and the inspector use
/// memory, and publishing throws the reason. The last user that leaves ends the recording. Any thread may call it.
package final class ProcessTrace: Sendable {
    package static let shared = ProcessTrace()

    private struct State {
        var bus: EventBus? {
            didSet {
                guard bus !== oldValue else { return }
                entries = EntryTable()
                bus?.holdsJobs = holdsJobs
            }
        }
        /// Whether gates hold jobs.
        var holdsJobs = false { didSet { bus?.holdsJobs = holdsJobs } }
        /// The entries of the bus's table that ``ProcessTrace/label(_:)`` has read so far.
        var entries = EntryTable()
        /// The directory of the region's file; nil while the region is in memory.
        var directory: TraceDirectory?
        var server: ControlServer?
        /// The number of active recordings, inspectors and publications.
        var users = 0
        var publications = 0
        /// Whether `HOPSCOPE` asked for the region. It then lasts as long as the process.
        var isOfEnvironment = false
        var handler: ControlServer.Handler = { .unsupported("This program cannot do that: \($0.name) needs executors that can be held.") }
    }

    private let state = Guarded(State())

    private init() {}

    /// Names the process's trace; the default is the executable's name. Call it before anything is recorded.
    package static func name(_ program: String) {
        trace_name_process(program)
    }

    /// Adds a user and returns the bus, whose lanes may still hold earlier events. Each call is matched by one of ``leave()``.
    package func join() throws(TraceProblem) -> EventBus {
        adoptEnvironment()
        return try state.withLock { state throws(TraceProblem) in
            let bus = try Self.bus(of: &state, mustBeFile: false)
            state.users += 1
            return bus
        }
    }

    package func leave() {
        let last = state.withLock { state in
            state.users -= 1
            return Self.releaseIfUnused(&state)
        }
        withExtendedLifetime(last) {}
    }

    /// Lets the user's other processes read the lanes. Returns the file's path. Each call is matched by one of ``withdraw()``.
    package func publish() throws(TraceProblem) -> String {
        adoptEnvironment()
        return try state.withLock { state throws(TraceProblem) in
            let bus = try Self.bus(of: &state, mustBeFile: true)
            do throws(TraceProblem) {
                try bus.publish()
            } catch {
                _ = Self.releaseIfUnused(&state)
                throw error
            }
            state.users += 1
            state.publications += 1
            serve(&state)
            return "\(state.directory!.path)/\(bus.fileName)"
        }
    }

    package func withdraw() {
        let last = state.withLock { state -> (ControlServer?, EventBus?) in
            state.users -= 1
            state.publications -= 1
            guard state.publications == 0, !state.isOfEnvironment else { return (nil, nil) }
            let server = state.server
            state.server = nil
            state.bus?.withdraw()
            return (server, Self.releaseIfUnused(&state))
        }
        // Stop without holding the lock: the server's thread may be carrying out a command.
        last.0?.stop()
    }

    /// Sets the function that carries out an attached inspector's commands. Without a function, the server answers that they are
    /// unsupported.
    package func setHandler(_ handler: @escaping ControlServer.Handler) {
        state.withLock { $0.handler = handler }
    }

    /// Lets the readers of this process's region know whether gates hold jobs. The answer is asked for under a lock, so that
    /// of several calls the last states the latest answer.
    package func note(holdsJobs: () -> Bool) {
        state.withLock { $0.holdsJobs = holdsJobs() }
    }

    /// The name and the site of an entry that the current recording created; nil while nothing is recorded. The call reads all entries that
    /// are new since the last call, so it suits commands but not every task.
    package func label(_ id: EntryID) -> Label? {
        state.withLock { state in
            guard id != .none, let bus = state.bus else { return nil }
            bus.copyEntries(to: &state.entries)
            return state.entries.label(id)
        }
    }

    /// Carries out a command on the calling thread, in the same way as one from the control socket.
    package func carryOut(_ control: Control) -> ControlAnswer {
        let handler = state.withLock { $0.handler }
        return control.carriedOutByAnyProgram ?? handler(control)
    }

    // MARK: Implementation

    /// Returns the bus. Creates it and starts recording if there is none.
    private static func bus(of state: inout State, mustBeFile: Bool) throws(TraceProblem) -> EventBus {
        if let bus = state.bus {
            guard mustBeFile, state.directory == nil else { return bus }
            throw TraceProblem(
                .unavailable, "What is recorded lies in memory, because no file could be made for it when it began; it cannot be published."
            )
        }
        let bus: EventBus
        do throws(TraceProblem) {
            let directory = try TraceDirectory.own()
            bus = try EventBus(in: directory)
            state.directory = directory
        } catch {
            guard !mustBeFile else { throw error }
            bus = try EventBus()
            state.directory = nil
        }
        bus.start()
        state.bus = bus
        return bus
    }

    /// Ends the recording if it has no users left. The caller releases the returned bus after unlocking.
    private static func releaseIfUnused(_ state: inout State) -> EventBus? {
        guard state.users == 0, !state.isOfEnvironment, let bus = state.bus else { return nil }
        bus.stop()
        state.bus = nil
        state.directory = nil
        return bus
    }

    /// Takes over the region that `HOPSCOPE` asks for, if it asks for one.
    func adoptEnvironment() {
        // The lock is not held here, because creating that region calls back on another thread.
        let isAsked = trace_environment_region() != nil
        guard isAsked else { return }
        state.withLock { state in
            guard state.bus == nil, let bus = EventBus(ofEnvironment: ()) else { return }
            state.bus = bus
            state.directory = try? TraceDirectory.own()
            state.isOfEnvironment = true
            serve(&state)
        }
    }

    /// Listens for commands, and removes what dead processes left. If no socket can be created, the program can still be watched.
    private func serve(_ state: inout State) {
        guard state.server == nil, let bus = state.bus, let directory = state.directory else { return }
        state.server = try? ControlServer(in: directory, region: bus.fileName) { [self] control in
            carryOut(control)
        }
        directory.prune(now: Int(clamping: (bus.startRealtime + bus.now) / 1_000_000_000))
    }
}

/// Registers this module with the lanes while the program is loaded (`TRACE_REGISTRATION_PRIORITY`).
#if compiler(>=6.3)
    @used
    @section(".init_array.01000")
#else
    @_used
    @_section(".init_array.01000")
#endif
private let registration: @convention(c) () -> Void = register

private func register() {
    var part = trace_parts()
    part.region_published = regionWasPublished
    trace_register(&part)
}

/// Called once by the lanes when `HOPSCOPE` in the environment has made this process publish. The call comes on the thread that emitted
/// first, which must not wait. If no thread can be made, the process can be watched, and takes no commands.
private func regionWasPublished() {
    try? WorkerThread(name: "hopscope begin") { ProcessTrace.shared.adoptEnvironment() }.detach()
}
