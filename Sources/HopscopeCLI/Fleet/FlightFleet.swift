import CodeSymbols
import Foundation
import Hopscope
import TaskEvents
import TraceTransport

/// The processes that `hopscope flight` watches, each with a recorder of its own. One thread uses it.
final class FlightFleet {
    private struct Watched {
        let region: RegionFile
        let recorder: FlightRecorder
        /// Whether only a crash is written, because the process has a recorder of its own.
        let isSilent: Bool
    }

    private let plan: FlightPlan
    private let start = UInt64(Date().timeIntervalSince1970 * 1e9)
    private var watched: [String: Watched] = [:]
    /// Traces that are over, or that cannot be read.
    private var left: Set<String> = []
    private var traces = PublishedTraces()
    /// Whether a process is to be watched anew, though no trace has come.
    private var mustLook = false

    init(_ plan: FlightPlan) {
        self.plan = plan
    }

    /// Finds new processes, and lets go of those that have ended. A crash is written first.
    func look() {
        if let published = traces.changed(always: mustLook) { watchNew(among: published) }
        mustLook = false
        for (path, process) in watched {
            switch process.region.writer {
            case .recording, .elsewhere:
                guard process.region.hasFlightRecorder, !process.isSilent else { continue }
                // Its own recorder has begun since. The next look watches it anew.
                mustLook = true
                process.recorder.stop()
                watched[path] = nil
                continue
            case .ended, .withdrawn: break
            }
            if process.region.hasCrashed {
                process.recorder.request(FlightCause("crash", .none, "The process ended without exit: by a signal, or by _exit."))
            }
            process.recorder.stop()
            watched[path] = nil
            left.insert(path)
        }
    }

    private func watchNew(among traces: [PublishedTrace]) {
        left.formIntersection(traces.map(\.path))
        for trace in traces where watched[trace.path] == nil && !left.contains(trace.path) {
            // A process that ended before this command began is none of its business.
            guard trace.writer != .ended || trace.startRealtime >= start, trace.pid != getpid(), let new = watch(trace.path) else {
                left.insert(trace.path)
                continue
            }
            watched[trace.path] = new
        }
    }

    private func watch(_ path: String) -> Watched? {
        guard let region = try? RegionFile(path: path) else { return nil }
        let name = "\(ListedTrace.name(region.program)) (\(region.pid))"
        let isSilent = region.hasFlightRecorder
        let hasEnded = { @Sendable in region.writer == .ended }
        let recorder = try? FlightRecorder(SymbolizedLanes(region), isSilent ? .silent : plan, hasEnded: hasEnded) { outcome in
            switch outcome.result {
            case .success(let path): StandardError.say("\(name): \(outcome.causes[0].sentence) The last seconds are in '\(path)'.")
            case .failure(let error): UserError(any: error).say()
            }
        }
        return recorder.map { Watched(region: region, recorder: $0, isSilent: isSilent) }
    }

    /// Asks every recorder for a recording.
    func request(_ cause: FlightCause) {
        for process in watched.values { process.recorder.request(cause) }
    }

    func stop() {
        for process in watched.values { process.recorder.stop() }
    }
}
