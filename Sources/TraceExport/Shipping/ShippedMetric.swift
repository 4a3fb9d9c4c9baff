/// A metric that `hopscope ship` sends. Each metric is a case and a row; `Docs/Fleet.md` and the dashboard are made from the rows.
package enum ShippedMetric: String, CaseIterable, Sendable {
    case tasksLive = "hopscope.tasks.live"
    case tasksEnded = "hopscope.tasks.ended"
    case tasksTime = "hopscope.tasks.time"
    case blocksLive = "hopscope.blocks.live"
    case blocksEnded = "hopscope.blocks.ended"
    case blocksBusy = "hopscope.blocks.busy"
    case faults = "hopscope.faults"
    case findings = "hopscope.findings"
    case queueDepth = "hopscope.executor.queue.depth"
    case wait = "hopscope.executor.wait"
    case busy = "hopscope.executor.busy"
    case recordsLost = "hopscope.records.lost"
    case shipCost = "hopscope.ship.cost"

    /// The behaviour of a value over time, in OpenTelemetry's terms.
    package enum Instrument: String, Sendable {
        /// A sum that only grows.
        case counter
        /// A sum that also falls.
        case upDownCounter = "up-down counter"
        case histogram
    }

    package struct Row: Sendable {
        package let instrument: Instrument
        /// The unit in UCUM, as OpenTelemetry asks.
        package let unit: String
        package let attributes: [ShippedAttribute]
        package let description: String
    }

    package var row: Row {
        switch self {
        case .tasksLive:
            Row(
                instrument: .upDownCounter, unit: "{task}", attributes: [.site],
                description: "Tasks that have not ended, by the place that created them.")
        case .tasksEnded:
            Row(
                instrument: .counter, unit: "{task}", attributes: [.site, .outcome],
                description: "Tasks that have ended, by the place that created them and by outcome.")
        case .tasksTime:
            Row(
                instrument: .histogram, unit: "s", attributes: [.site, .part],
                description: "How long ended tasks ran, blocked, were queued and awaited others, by the place that created them.")
        case .blocksLive:
            Row(
                instrument: .upDownCounter, unit: "{block}", attributes: [.site],
                description: "Blocks of Dispatch, operation queues and run loops that have not ended, by the place that gave them.")
        case .blocksEnded:
            Row(
                instrument: .counter, unit: "{block}", attributes: [.site, .outcome],
                description: "Blocks that have ended, by the place that gave them and by outcome.")
        case .blocksBusy:
            Row(
                instrument: .histogram, unit: "s", attributes: [.site],
                description: "How long blocks ran, by the place that gave them.")
        case .faults:
            Row(
                instrument: .upDownCounter, unit: "{fault}", attributes: [.site, .errorType, .verdict],
                description: "Errors, counted at their origins. A fault moves from pending to its final verdict.")
        case .findings:
            Row(
                instrument: .upDownCounter, unit: "{finding}", attributes: [.rule, .site],
                description: "Findings of the warning rules. A finding that holds no longer is subtracted.")
        case .queueDepth:
            Row(
                instrument: .upDownCounter, unit: "{job}", attributes: [.executor],
                description: "Jobs that wait in an executor's queue.")
        case .wait:
            Row(
                instrument: .histogram, unit: "s", attributes: [.executor],
                description: "How long jobs waited in an executor's queue before they ran.")
        case .busy:
            Row(
                instrument: .histogram, unit: "s", attributes: [.executor],
                description: "How long an executor's jobs ran.")
        case .recordsLost:
            Row(
                instrument: .counter, unit: "{record}", attributes: [],
                description: "Records that threads wrote over before they were read.")
        case .shipCost:
            Row(
                instrument: .counter, unit: "s", attributes: [],
                description: "Processor time that `hopscope ship` has used, for all processes that it watches.")
        }
    }
}

/// An attribute of a metric. The raw value is its key.
package enum ShippedAttribute: String, CaseIterable, Sendable {
    case site = "where"
    case executor
    case outcome
    case part
    case verdict
    case errorType = "error.type"
    case rule

    /// The largest number of values per process. Further values are counted together, with the attribute `otel.metric.overflow`.
    package var limit: Int {
        switch self {
        case .site: 50
        case .executor: 16
        case .errorType: 20
        // These come from tables of this program.
        case .outcome, .part, .verdict, .rule: .max
        }
    }

    package var description: String {
        switch self {
        case .site: "the place, or the function where the place is unknown"
        case .executor: "the executor's name; all actors of a type have one"
        case .outcome: "`succeeded`, `faulted` or `cancelled`; `ended` if the trace does not show how"
        case .part: "`running`, `blocked`, `queued` or `awaiting`"
        case .verdict: "`recovered`, `read`, `swallowed`, `unobserved`, `pending` or `unknown`"
        case .errorType: "the type of the error"
        case .rule: "the rule of the finding"
        }
    }
}

/// The attributes of one series.
package struct SeriesKey: Hashable, Sendable {
    /// The values, in the order of the metric's attributes; nil for a value beyond the limit.
    package var values: [String?]

    package init(_ values: [String?] = []) {
        self.values = values
    }
}
