import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// The signals of OpenTelemetry that `hopscope ship` sends. The raw value is the last part of the address that takes it.
package enum ShippedSignal: String, CaseIterable, Sendable {
    case metrics, traces, logs
}

/// Encodes a batch as the bodies of OTLP requests in protocol buffers. The numbers are fields of opentelemetry-proto.
package struct ShippedRequest {
    let process: ShippedProcess
    let resource: ShippedResource
    /// The time at which the batch was collected, in nanoseconds since 1970.
    let time: UInt64
    private let ids: OTLPIdentifiers

    package init(_ process: ShippedProcess, resource: ShippedResource, at time: UInt64) {
        self.process = process
        self.resource = resource
        self.time = time
        ids = OTLPIdentifiers(program: process.program, startedAt: process.start)
    }

    /// One scope, with the items that `write` appends as field 2.
    private func body(_ write: (inout ProtobufMessage) -> Void) -> [UInt8] {
        var request = ProtobufMessage()
        request.message(1) { group in
            resource.write(to: &group)
            group.message(2) { scope in
                scope.message(1) { $0.string(1, "hopscope") }
                write(&scope)
            }
        }
        return request.bytes
    }

    // MARK: Metrics

    package func metrics(_ points: [ShippedPoint]) -> [UInt8] {
        body { scope in
            for metric in ShippedMetric.allCases {
                let points = points.filter { $0.metric == metric }
                if !points.isEmpty { scope.message(2) { write(metric, points, to: &$0) } }
            }
        }
    }

    private func write(_ metric: ShippedMetric, _ points: [ShippedPoint], to message: inout ProtobufMessage) {
        let row = metric.row
        message.string(1, metric.rawValue)
        message.string(2, row.description)
        message.string(3, row.unit)
        message.message(row.instrument == .histogram ? 9 : 7) { data in
            for point in points { data.message(1) { write(point, row, to: &$0) } }
            // AGGREGATION_TEMPORALITY_CUMULATIVE
            data.number(2, 2)
            if row.instrument != .histogram { data.bool(3, row.instrument == .counter) }
        }
    }

    private func write(_ point: ShippedPoint, _ row: ShippedMetric.Row, to message: inout ProtobufMessage) {
        message.fixed64(2, process.start)
        message.fixed64(3, time)
        let attributes: UInt64
        switch point.value {
        case .count(let count):
            message.fixed64(6, UInt64(bitPattern: Int64(count)))
            attributes = 7
        case .seconds(let seconds):
            message.double(4, seconds)
            attributes = 7
        case .histogram(let histogram):
            message.fixed64(4, histogram.count)
            message.double(5, Double(histogram.sum) / 1e9)
            message.fixed64(6, histogram.counts)
            message.fixed64(7, ShippedHistogram.bounds.map { (Double($0) / 1e9).bitPattern })
            attributes = 9
        }
        var series = OTLPAttributes()
        for (attribute, value) in zip(row.attributes, point.key.values) { series.add(attribute.rawValue, value) }
        series.add("otel.metric.overflow", ifTrue: point.key.values.contains(nil))
        message.attributes(attributes, series)
    }

    // MARK: Traces

    /// The request for the batch's traces and the number of its spans; nil if there are none.
    package func traces(of batch: ShippedBatch) -> (body: [UInt8], count: Int)? {
        let spans = ShippedSpans(store: process.store).all(of: batch)
        guard !spans.isEmpty else { return nil }
        let body = body { scope in
            for span in spans { scope.message(2) { $0.write(span, ids, startedAt: process.start) } }
        }
        return (body, spans.count)
    }

    // MARK: Logs

    package func logs(of findings: [ReportedFinding]) -> [UInt8]? {
        guard !findings.isEmpty else { return nil }
        return body { scope in
            for finding in findings {
                scope.message(2) { record in
                    if let at = finding.at { record.fixed64(1, process.start &+ at) }
                    record.number(2, finding.severity.otlpNumber)
                    record.string(3, finding.severity.name.uppercased())
                    record.message(5) { $0.string(1, finding.message) }
                    var attributes = OTLPAttributes()
                    attributes.add(ShippedAttribute.rule.rawValue, finding.rule)
                    attributes.add(ShippedAttribute.site.rawValue, finding.site)
                    record.attributes(6, attributes)
                    if finding.task != .none, let task = process.store.task(finding.task) {
                        record.bytes(9, ids.trace(of: task.chain).bytes)
                        record.bytes(10, ids.span(of: finding.task).bytes)
                    }
                    record.fixed64(11, time)
                    record.string(12, "hopscope.finding")
                }
            }
        }
    }
}

extension WarningSeverity {
    /// The number of the severity in OpenTelemetry's logs: INFO, WARN, ERROR.
    fileprivate var otlpNumber: UInt64 {
        switch self {
        case .note: 9
        case .warning: 13
        case .error: 17
        }
    }
}
