import CodeSymbols
import Hopscope
import TaskEvents
import TraceTransport

/// The processes that `hopscope flight` follows, each with a recorder of its own. One thread uses it.
final class FlightFleet {
    private struct Member {
        let region: RegionFile
        let recorder: FlightRecorder
        /// Whether only a crash is written, because the process has a recorder of its own.
        let isSilent: Bool
    }

    private let plan: FlightPlan
    private let members = FollowedProcesses<Member>()
    private var traces: PublishedTraces
    private let time: TimeSource
    /// Whether to look for traces though none has come or gone.
    private var mustLook = false

    init(_ plan: FlightPlan, time: TimeSource) {
        self.plan = plan
        self.time = time
        traces = PublishedTraces(time)
    }

    /// Finds new processes, and ends the recorders of those that have ended. Writes a crash first.
    func look() {
        if let published = traces.changed(always: mustLook) { members.add(published, begin: member) }
        mustLook = false
        members.update { member in
            switch member.region.writer {
            case .recording, .elsewhere:
                guard member.region.hasFlightRecorder, !member.isSilent else { return .follow }
                // The process has begun a recorder of its own since.
                mustLook = true
                member.recorder.stop()
                return .beginAgain
            case .ended, .withdrawn:
                if member.region.hasCrashed {
                    member.recorder.request(FlightCause("crash", .none, "The process ended without exit: by a signal, or by _exit."))
                }
                member.recorder.stop()
                return .end
            }
        }
    }

    private func member(_ trace: PublishedTrace) -> Member? {
        guard let region = try? RegionFile(path: trace.path) else { return nil }
        let name = "\(ListedTrace.name(region.program)) (\(region.pid))"
        let isSilent = region.hasFlightRecorder
        let hasEnded = { @Sendable in region.writer == .ended }
        let plan = isSilent ? FlightPlan.silent : self.plan
        let recorder = try? FlightRecorder(SymbolizedLanes(region), plan, time: time, hasEnded: hasEnded) { outcome in
            switch outcome.result {
            case .success(let path): StandardError.say("\(name): \(outcome.causes[0].sentence) The last seconds are in '\(path)'.")
            case .failure(let error): UserError(any: error).say()
            }
        }
        return recorder.map { Member(region: region, recorder: $0, isSilent: isSilent) }
    }

    /// Asks every recorder for a recording, and says so if there is none.
    func request(_ cause: FlightCause) {
        if members.all.isEmpty { StandardError.say("\(cause.sentence) No process publishes, so there is nothing to write.") }
        for member in members.all { member.recorder.request(cause) }
    }

    func stop() {
        for member in members.all { member.recorder.stop() }
    }
}
