import Dispatch
import Foundation
import Synchronization
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// Keeps the last seconds of a program's events in memory, and writes a recording when something happens. See
/// ``Inspector/startFlightRecorder(last:slowTask:slowChain:rules:query:signal:mostPerHour:folder:)``.
///
/// Releasing this object does not end the recorder; ``stop()`` does. Any thread can call it.
public final class FlightRecorder: Sendable {
    /// The rules whose findings are triggers by default: `unobserved-fault`, `main-stall`, `pool-starvation`, `wait-cycle`.
    public static var defaultRules: [String] { FlightPlan.defaultRules.sorted() }

    /// Nothing was written, because the recorder had stopped.
    public struct StoppedError: Error, CustomStringConvertible {
        /// A sentence for the user.
        public var description: String { "The flight recorder has stopped, so it wrote no recording." }
    }

    /// The earlier name of ``defaultRules``.
    @available(*, deprecated, renamed: "defaultRules")
    public static var usualRules: [String] { defaultRules }

    /// The earlier name of ``StoppedError``.
    @available(*, deprecated, renamed: "StoppedError")
    public typealias Stopped = StoppedError

    private let recorder: TraceRecorder
    private let source: any LaneSource
    private let requests: FlightRequests
    private let isStopped = Atomic<Bool>(false)
    /// Ends the wait for the signal that is a trigger.
    private let disobey = Guarded<(@Sendable () -> Void)?>(nil)
    private let leave: @Sendable () -> Void

    /// Begins with the events that the lanes still hold. On the recorder's thread, `tell` is called after each recording, and `hasEnded` at
    /// the end: whether the program has ended. `leave` is called when the recorder has stopped. Throws if the system makes no more threads.
    package init(
        _ source: any LaneSource, _ plan: FlightPlan, into folder: String? = nil, time: TimeSource,
        hasEnded: @escaping @Sendable () -> Bool = { false }, tell: @escaping @Sendable (FlightOutcome) -> Void = { _ in },
        leave: @escaping @Sendable () -> Void = {}
    ) throws {
        let requests = FlightRequests()
        self.requests = requests
        self.source = source
        self.leave = leave
        let monitor = FlightMonitor(plan, of: TraceFileHeader(of: source))
        let sink = FlightSink(monitor, of: source, into: folder, requests, time: time, hasEnded: hasEnded, tell: tell)
        recorder = try TraceRecorder(source: source, sink: sink, pace: .sparing)
    }

    /// Writes a recording with everything that was emitted before the call, and returns its path. Waits for the recorder's thread, usually
    /// for less than a fifth of a second.
    ///
    /// - Parameter reason: a word for the recording's name.
    /// - Throws: the reason why the file cannot be written, as ``HopscopeError``, or ``StoppedError``.
    @discardableResult
    public func write(_ reason: String = "asked") throws -> String {
        do {
            return try write(FlightCause(reason, .none, "The program asked for a recording."))
        } catch let stopped as StoppedError {
            throw stopped
        } catch {
            throw HopscopeError(error)
        }
    }

    package func write(_ cause: FlightCause) throws -> String {
        guard let request = requests.ask(cause, now: source.now) else { throw StoppedError() }
        return try request.wait()
    }

    /// Writes a recording soon, without waiting for it: one for all equal requests that come until then.
    package func request(_ cause: FlightCause) {
        _ = requests.ask(cause, now: source.now, isShared: true)
    }

    /// Makes the signal a trigger: each one that comes after the return. It no longer has its default effect.
    func obey(_ number: Int32) {
        Foundation.signal(number, SIG_IGN)
        // Dispatch's own locks guard a source.
        nonisolated(unsafe) let events = DispatchSource.makeSignalSource(signal: number, queue: .global())
        events.setEventHandler { [requests, source] in
            let cause = FlightCause("signal", .none, "Signal \(number) asked for a recording.")
            _ = requests.ask(cause, now: source.now, isShared: true)
        }
        disobey.withLock { $0 = { events.cancel() } }
        // Dispatch takes up the source on a thread of its own. A signal that comes before is ignored.
        let isReady = DispatchSemaphore(value: 0)
        events.setRegistrationHandler { isReady.signal() }
        events.resume()
        isReady.wait()
    }

    /// Looks for triggers once more, and ends the recorder. Further calls do nothing.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        disobey.withLock { $0 }?()
        // The sink throws nothing: each recording's problem has been reported.
        try? recorder.stop()
        leave()
    }
}
