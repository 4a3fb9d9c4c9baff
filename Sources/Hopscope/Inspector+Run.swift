import Dispatch
import Foundation
import InspectorUI
import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

extension Inspector {
    /// Shows the inspector on this program's terminal, and returns when the user closes it. The program continues to run meanwhile and
    /// afterwards.
    ///
    /// ```swift
    /// import Hopscope
    ///
    /// try Inspector.run {
    ///     ChainTask(name: "ask") { try ask() }.continueWith(on: .main, name: "show") { show($0) }
    /// }
    /// ```
    ///
    /// The inspector runs on its own thread, and the calling thread waits for it. If the calling thread is the main thread, it serves the
    /// main queue meanwhile, so that main-queue work continues. The inspector shows events from the call on, and events that the lanes
    /// still hold if the program already publishes or records. Text that the program prints to the terminal corrupts the picture until the
    /// user presses Ctrl-L.
    ///
    /// The warnings follow the `.hopscope.toml` of the current directory, or of the nearest directory above it.
    ///
    /// Not available in asynchronous code, because it would block the thread. Call it on a separate thread there.
    ///
    /// - Parameter program: called on the calling thread after tracing has started.
    /// - Throws: the reason why the inspector cannot open. There is no terminal, its type is unknown, or another inspector is open;
    ///   the settings file is invalid; or nothing can be recorded. In each case `program` has not been called.
    @available(*, noasync, message: "It would hold the thread until the user leaves; begin it on a thread of its own.")
    public static func run(_ program: () -> Void = {}) throws(HopscopeError) {
        try HopscopeError.wrap {
            let settings = try SettingsFile.nearest().map { try SettingsFile(path: $0).warnings }
            let inspector = try TerminalInspector(warnings: settings ?? WarningSettings(), time: TimeSource())
            let bus: EventBus
            do {
                bus = try ProcessTrace.shared.join()
            } catch {
                inspector.close()
                throw error
            }
            defer { ProcessTrace.shared.leave() }
            if let signal = try show(inspector, bus, program) { kill(getpid(), signal) }
        }
    }

    /// Shows the inspector on a separate thread. Returns when it is closed, with the signal that closed it, or nil.
    private static func show(_ inspector: TerminalInspector, _ bus: EventBus, _ program: () -> Void) throws(TraceProblem) -> Int32? {
        let ending = Ending()
        // One thread at a time owns the terminal: the caller's thread up to here, the inspector's thread from here on.
        nonisolated(unsafe) let inspector = inspector
        nonisolated(unsafe) var trace: LaneTrace?
        let thread: WorkerThread
        do throws(TraceProblem) {
            let source = try LaneTrace(bus)
            trace = source
            nonisolated(unsafe) let shown = source
            thread = try WorkerThread(name: "hopscope show") {
                let signal = inspector.show(shown, of: bus.program, controls: ProcessControls())
                shown.stop()
                ending.come(signal)
            }
        } catch {
            trace?.stop()
            inspector.close()
            throw error
        }
        program()
        if Thread.isMainThread {
            while !ending.hasCome { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.25)) }
        }
        thread.join()
        return ending.signal
    }
}

/// Reports that the inspector's thread has closed the inspector.
private final class Ending: Sendable {
    private let state = Guarded((hasCome: false, signal: Int32?.none))

    var hasCome: Bool { state.withLock { $0.hasCome } }
    var signal: Int32? { state.withLock { $0.signal } }

    func come(_ signal: Int32?) {
        state.withLock { $0 = (true, signal) }
        // Wakes the main thread if it waits in its run loop.
        DispatchQueue.main.async {}
    }
}
