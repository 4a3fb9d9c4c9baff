import ArgumentParser
import Foundation
import TaskEvents
import TraceAnalysis

/// `hopscope ship`: sends the data that this host's processes publish to an OpenTelemetry collector.
struct ShipCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship",
        abstract: "Sends metrics, traces and logs of this host's processes to an OpenTelemetry collector.",
        discussion: """
            It watches every process that publishes (HOPSCOPE=1, Inspector.publish(), hopscope run). It sends metrics of tasks, executors, \
            faults and findings, a trace for each fault and each slow chain, and a log record for each finding, as OTLP in protocol \
            buffers over HTTP. Docs/Fleet.md lists the names. It obeys OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT and _CERTIFICATE, also \
            those of one signal, and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, also those of the watched processes. Items that the collector \
            does not take are kept on disk, up to 64 MiB, and sent later. Dropped items are counted, and the count is reported. It runs \
            until SIGINT or SIGTERM.
            """)

    @Option(name: .customLong("to"), help: ArgumentHelp("The collector: http://localhost:4318.", valueName: "url"))
    var target: String?

    @Option(help: ArgumentHelp("The time between two batches.", valueName: "time"))
    var every = "60s"

    @Option(help: ArgumentHelp("The service's name, for processes that have none of their own.", valueName: "name"))
    var service: String?

    @Option(help: ArgumentHelp("The duration beyond which a chain gets a trace.", valueName: "time"))
    var slow = "1s"

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        _ = try Self.duration(every, "--every", from: 100_000_000)
        _ = try Self.duration(slow, "--slow", from: 0)
        _ = try endpoints()
    }

    func perform() throws {
        let settings = try warnings.settings()
        let interval = try Self.duration(every, "--every", from: 100_000_000)
        let endpoints = try endpoints()
        let transfer = try ShipTransfer(clock)
        let signals = SignalWait(SignalWait.ending)
        let spool = try ShipSpool(for: endpoints)
        let sender = ShipSender(endpoints, spool, transfer, clock)
        let fleet = ShipFleet(
            settings: settings, service: service, slowChain: try Self.duration(slow, "--slow", from: 0), output: sender, time: clock)
        StandardError.say("It sends to \(endpoints.description) every \(every).")
        var next = clock.now + interval
        while signals.next(milliseconds: min(ShipFleet.pause, Int(interval / 1_000_000))) == nil {
            fleet.follow()
            if clock.now >= next {
                next = clock.now + interval
                sender.tellBacklog()
                fleet.ship()
                sender.tellDrops()
            }
            sender.proceed()
        }
        fleet.follow(isLast: true)
        fleet.ship()
        sender.finish()
    }

    private func endpoints() throws -> ShipEndpoints {
        guard let endpoints = try ShipEndpoints(target: target, environment: ProcessInfo.processInfo.environment) else {
            throw ValidationError("No collector is named: --to http://localhost:4318, or OTEL_EXPORTER_OTLP_ENDPOINT, names one.")
        }
        return endpoints
    }

    private static func duration(_ text: String, _ option: String, from least: UInt64) throws -> UInt64 {
        guard let value = DurationText.nanoseconds(text), value >= least, value <= 86_400_000_000_000 else {
            let bound = least > 0 ? "between \(DurationText.text(least, isASCII: true)) and a day" : "of at most a day"
            throw ValidationError("\(option) \(text) is no time \(bound), such as 10s or 500ms.")
        }
        return value
    }
}
