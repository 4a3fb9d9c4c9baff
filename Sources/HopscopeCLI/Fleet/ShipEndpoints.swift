import ArgumentParser
import Foundation
import TraceExport

/// The address, headers and timeout of each signal, from OpenTelemetry's variables:
/// https://opentelemetry.io/docs/specs/otel/protocol/exporter.
struct ShipEndpoints: CustomStringConvertible {
    struct Endpoint {
        let url: URL
        let headers: [(key: String, value: String)]
        /// In seconds.
        let timeout: TimeInterval
    }

    private let endpoints: [ShippedSignal: Endpoint]
    let description: String

    subscript(signal: ShippedSignal) -> Endpoint? { endpoints[signal] }

    /// Nil if neither `target` nor a variable names a collector.
    init?(target: String?, environment: [String: String]) throws {
        let base = target ?? environment["OTEL_EXPORTER_OTLP_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
        if let base { _ = try Self.url(base) }
        var endpoints: [ShippedSignal: Endpoint] = [:]
        for signal in ShippedSignal.allCases {
            func variable(_ name: String) -> String? {
                let own = environment["OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_\(name)"]
                return (own ?? environment["OTEL_EXPORTER_OTLP_\(name)"]).flatMap { $0.isEmpty ? nil : $0 }
            }
            // An address for one signal is used unchanged. An address for all signals gets the signal's path.
            let own = environment["OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
            let address: String?
            if target == nil, let own {
                address = own
            } else {
                address = base.map { "\($0.hasSuffix("/") ? String($0.dropLast()) : $0)/v1/\(signal.rawValue)" }
            }
            guard let address else { continue }
            if let scheme = variable("PROTOCOL"), scheme != "http/protobuf" {
                throw ValidationError("OTEL_EXPORTER_OTLP_PROTOCOL is \(scheme); only http/protobuf is sent, to port 4318 as a rule.")
            }
            let timeout = variable("TIMEOUT").flatMap { Double($0) }.map { $0 / 1000 } ?? 10
            endpoints[signal] = Endpoint(
                url: try Self.url(address), headers: ShippedResource.pairs(variable("HEADERS") ?? ""),
                timeout: min(max(timeout, 0.1), 600))
        }
        guard !endpoints.isEmpty else { return nil }
        self.endpoints = endpoints
        description = base ?? endpoints.values.map(\.url.absoluteString).sorted().joined(separator: ", ")
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false else {
            throw ValidationError("'\(text)' is no address of a collector; it looks like http://localhost:4318.")
        }
        return url
    }
}
