import CTraceLanes
import TaskEvents

/// The region that this process records into, and its users.
///
/// One for the process: a program that records, publishes and has the inspector open does all three from one region, in any order.
/// So the region is a file from the first, without a name until it is published; where no file can be made, recording and the
/// inspector have it in memory, and publishing says why it cannot be. The last one to leave ends the recording. Any thread may call it.
package final class ProcessTrace: Sendable {
    package static let shared = ProcessTrace()

    private struct State {
        var bus: EventBus? { didSet { if bus !== oldValue { entries = EntryTable() } } }
        /// What ``ProcessTrace/label(_:)`` has read of the bus's names.
        var entries = EntryTable()
        /// Where its file is; nil while it is in memory.
        var directory: TraceDirectory?
        var server: ControlServer?
        /// Recordings, inspectors and publications under way.
        var users = 0
        var publications = 0
        /// Whether `HOPSCOPE` asked for it. Then it lasts as long as the process.
        var isOfEnvironment = false
        var handler: ControlServer.Handler = { .unsupported("This program cannot do that: \($0.name) needs executors that can be held.") }
    }

    private let state = Guarded(State())

    private init() {}

    /// Calls the process's trace something else than its executable. Before anything is recorded.
    package static func name(_ program: String) {
        trace_name_process(program)
    }

    /// Begins to read what the process does from now on, and what its lanes still hold. Each call is matched by one of ``leave()``.
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

    /// Lets other processes of the user read along. Returns the file's path. Each call is matched by one of ``withdraw()``.
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
        // Not with the lock: the server's thread may be at a command.
        last.0?.stop()
    }

    /// Sets the function that carries out an attached inspector's commands. Without one they are answered as unsupported.
    package func setHandler(_ handler: @escaping ControlServer.Handler) {
        state.withLock { $0.handler = handler }
    }

    /// The name and the site behind a number that the process's trace has given out since it began; nil while nothing is recorded. It
    /// looks at all names that came since the last call: for commands, not for every task.
    package func label(_ id: EntryID) -> Label? {
        state.withLock { state in
            guard id != .none, let bus = state.bus else { return nil }
            bus.copyEntries(to: &state.entries)
            return state.entries.label(id)
        }
    }

    /// Carries a command out in this process, as one that comes by the control socket is, on the calling thread.
    package func carryOut(_ control: Control) -> ControlAnswer {
        let handler = state.withLock { $0.handler }
        return control.carriedOutByAnyProgram ?? handler(control)
    }

    // MARK: Inside

    /// The bus, made and recording if there is none.
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

    /// Ends the recording if no user is left. The caller releases the bus, after unlocking.
    private static func releaseIfUnused(_ state: inout State) -> EventBus? {
        guard state.users == 0, !state.isOfEnvironment, let bus = state.bus else { return nil }
        bus.stop()
        state.bus = nil
        state.directory = nil
        return bus
    }

    /// Takes over the region that `HOPSCOPE` asks for, if it does.
    func adoptEnvironment() {
        // Without the lock: making that region calls back, on a thread of its own.
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

    /// Listens for commands, and tidies up after the dead. That a socket cannot be had leaves the program to be watched.
    private func serve(_ state: inout State) {
        guard state.server == nil, let bus = state.bus, let directory = state.directory else { return }
        state.server = try? ControlServer(in: directory, region: bus.fileName) { [self] control in
            carryOut(control)
        }
        directory.prune(now: Int(clamping: (bus.startRealtime + bus.now) / 1_000_000_000))
    }
}

/// Registers the transport with the lanes while the program is loaded (`TRACE_REGISTRATION_PRIORITY`).
@used
@section(".init_array.01000")
private let registration: @convention(c) () -> Void = register

private func register() {
    var part = trace_parts()
    part.region_published = regionWasPublished
    trace_register(&part)
}

/// Called by the lanes once, when `HOPSCOPE` in the environment has made this process publish: on the thread that emitted first, which must
/// not wait.
private func regionWasPublished() {
    WorkerThread(name: "hopscope begin") { ProcessTrace.shared.adoptEnvironment() }.detach()
}
