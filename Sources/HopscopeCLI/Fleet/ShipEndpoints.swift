import ArgumentParser
import Foundation
import TraceAnalysis
import TraceExport

/// The address, headers and timeout of each signal, from OpenTelemetry's variables:
/// https://opentelemetry.io/docs/specs/otel/protocol/exporter.
struct ShipEndpoints: CustomStringConvertible {
    struct Endpoint: Sendable {
        let url: URL
        let headers: [(key: String, value: String)]
        /// In seconds.
        let timeout: TimeInterval
        let certificates: Certificates
    }

    /// The paths of files in PEM format; nil for none.
    struct Certificates: Hashable, Sendable {
        /// The authorities of the collector's certificate.
        var authorities: String?
        /// The certificate that `ship` shows the collector, and its key.
        var own: String?
        var key: String?
    }

    private let endpoints: [ShippedSignal: Endpoint]
    /// The addresses, without the names, passwords and queries in them.
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
            let certificates = try Certificates(
                authorities: Self.file(variable("CERTIFICATE"), "CERTIFICATE"),
                own: Self.file(variable("CLIENT_CERTIFICATE"), "CLIENT_CERTIFICATE"), key: Self.file(variable("CLIENT_KEY"), "CLIENT_KEY"))
            let timeout = variable("TIMEOUT").flatMap { Double($0) }.flatMap { $0.isFinite ? $0 / 1000 : nil } ?? 10
            endpoints[signal] = Endpoint(
                url: try Self.url(address), headers: ShippedResource.pairs(variable("HEADERS") ?? ""),
                timeout: min(max(timeout, 0.1), 600), certificates: certificates)
        }
        guard !endpoints.isEmpty else { return nil }
        self.endpoints = endpoints
        description = base.map(Self.shown) ?? endpoints.values.map { Self.shown($0.url.absoluteString) }.sorted().joined(separator: ", ")
    }

    /// Throws if the file that a variable names cannot be read.
    private static func file(_ path: String?, _ name: String) throws -> String? {
        guard let path, !FileManager.default.isReadableFile(atPath: path) else { return path }
        throw ValidationError(
            "OTEL_EXPORTER_OTLP_\(name) names \(PrintableText.text(path)), which cannot be read; it names a file in PEM format.")
    }

    /// The address for messages: names, passwords and queries can be secrets.
    private static func shown(_ text: String) -> String {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let address = String(parts.first ?? "")
        guard let sign = address.lastIndex(of: "@") else { return PrintableText.text(address) }
        let scheme = address.range(of: "://").map { String(address[..<$0.upperBound]) } ?? ""
        return PrintableText.text(scheme + String(address[address.index(after: sign)...]))
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false else {
            throw ValidationError("'\(shown(text))' is no address of a collector; it looks like http://localhost:4318.")
        }
        guard url.port.map((1...65_535).contains) ?? true else {
            throw ValidationError("'\(shown(text))' has no port between 1 and 65535; an address looks like http://localhost:4318.")
        }
        return url
    }
}
