import Foundation
import Hopscope
import TaskEvents
import TraceAnalysis
import TraceExport
import TraceStore
import TraceTransport

/// The processes that `hopscope ship` follows. A process is found within half a second after it began to publish.
final class ShipFleet {
    private final class Member {
        let lanes: LaneTrace
        let process: ShippedProcess
        let resource: ShippedResource

        init(_ region: RegionFile, settings: WarningSettings, resource: ShippedResource) throws {
            lanes = try LaneTrace(symbolized: region, pace: .sparing)
            process = ShippedProcess(program: region.program, startedAt: region.startRealtime, settings: settings)
            self.resource = resource
        }

        func follow() {
            for batch in lanes.take() { process.apply(batch) }
            if let names = lanes.takeNames() { process.apply(names) }
        }
    }

    private let settings: WarningSettings
    private let service: String?
    private let slowChain: UInt64
    private let output: ShipSender
    private let time: TimeSource
    private let start: UInt64
    /// The series about this process itself.
    private let own: ShippedProcess
    private let members = FollowedProcesses<Member>()
    private var traces: PublishedTraces
    private var rounds = 0
    /// Milliseconds between two rounds. Each wake-up costs as much as a few hundred events, and the thread that drains the lanes has room
    /// for a million.
    static let pause = 250
    /// The rounds after which it looks whether processes have ended: twice a second.
    private static let roundsBetweenLooks = 2

    init(settings: WarningSettings, service: String?, slowChain: UInt64, output: ShipSender, time: TimeSource) {
        self.settings = settings
        self.service = service
        self.slowChain = slowChain
        self.output = output
        self.time = time
        start = time.date
        traces = PublishedTraces(time)
        own = ShippedProcess(program: "hopscope", startedAt: start)
    }

    /// Takes the new events of all processes, and finds new processes. Sends the data of an ended process once more, then stops following
    /// it.
    ///
    /// - Parameter isLast: Whether to look for processes now, since no later call will.
    func follow(isLast: Bool = false) {
        if let published = traces.changed(always: isLast) {
            members.add(published) { trace in
                guard let region = try? RegionFile(path: trace.path) else { return nil }
                return try? Member(region, settings: settings, resource: resource(of: region))
            }
        }
        rounds += 1
        // The look at a process costs more than a round without events.
        let looksForEnds = isLast || rounds.isMultiple(of: Self.roundsBetweenLooks)
        members.update { member in
            let isOver = looksForEnds && member.lanes.hasEnded
            member.follow()
            guard isOver else { return .follow }
            ship(member, isOver: member.lanes.sawExit)
            return .end
        }
    }

    /// Queues the new data of all processes.
    func ship() {
        for member in members.all { ship(member, isOver: false) }
        shipCost()
    }

    private func ship(_ member: Member, isOver: Bool) {
        // A place without its name would be a series of its own, and a process that has ended gets no further batch.
        member.process.store.nameCode()
        let batch = member.process.collect(isOver: isOver, slowChain: slowChain)
        let request = ShippedRequest(member.process, resource: member.resource, at: time.date)
        if !batch.points.isEmpty { output.add(request.metrics(batch.points), .metrics, items: batch.points.count) }
        if let traces = request.traces(of: batch) { output.add(traces.body, .traces, items: traces.count) }
        if let logs = request.logs(of: batch.findings) { output.add(logs, .logs, items: batch.findings.count) }
    }

    /// Sends the processor time of this process, under a service name of its own.
    private func shipCost() {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return }
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        var resource = ShippedResource()
        resource.set("service.name", "hopscope-ship")
        resource.set("service.instance.id", "\(getpid())-\(start)")
        resource.set("host.name", ProcessInfo.processInfo.hostName)
        let point = ShippedPoint(
            metric: .shipCost, key: SeriesKey(), value: .seconds(seconds(usage.ru_utime) + seconds(usage.ru_stime)))
        output.add(ShippedRequest(own, resource: resource, at: time.date).metrics([point]), .metrics, items: 1)
    }

    // MARK: Resources

    /// The attributes of the followed process: what its own environment said comes first, then this process's, then the program's name.
    private func resource(of region: RegionFile) -> ShippedResource {
        let mine = ProcessInfo.processInfo.environment
        var resource = ShippedResource()
        resource.set("service.name", region.program.isEmpty ? "unnamed program" : ListedTrace.name(region.program))
        resource.set("service.name", service)
        resource.add(pairs: mine["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
        resource.set("service.name", mine["OTEL_SERVICE_NAME"])
        resource.add(pairs: region.resource)
        resource.set("service.name", region.service)
        if !resource.attributes.contains(where: { $0.key == "service.instance.id" }) {
            resource.set("service.instance.id", "\(region.pid)-\(region.startRealtime)")
        }
        if !resource.attributes.contains(where: { $0.key == "host.name" }) {
            resource.set("host.name", ProcessInfo.processInfo.hostName)
        }
        resource.set("process.pid", String(region.pid))
        resource.set("process.executable.name", ListedTrace.name(region.program))
        return resource
    }
}
