import Foundation

/// The attributes of the process that a request is about, by OpenTelemetry's semantic conventions.
package struct ShippedResource: Sendable {
    package private(set) var attributes: [(key: String, value: String)] = []

    package init() {}

    /// Adds an attribute, or replaces its value. Empty values are left out.
    package mutating func set(_ key: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        if let known = attributes.firstIndex(where: { $0.key == key }) {
            attributes[known].value = value
        } else {
            attributes.append((key, value))
        }
    }

    /// Adds the attributes of `OTEL_RESOURCE_ATTRIBUTES`: `key=value` pairs between commas, percent-encoded. Pairs without a key or a value
    /// are left out.
    package mutating func add(pairs text: String) {
        for pair in Self.pairs(text) { set(pair.key, pair.value) }
    }

    /// The pairs of a list such as `a=1,b=x%20y`.
    package static func pairs(_ text: String) -> [(key: String, value: String)] {
        text.split(separator: ",").compactMap { pair in
            guard let sign = pair.firstIndex(of: "=") else { return nil }
            let key = decoded(pair[..<sign])
            let value = decoded(pair[pair.index(after: sign)...])
            return key.isEmpty ? nil : (key, value)
        }
    }

    /// Removes blanks at both ends and the percent encoding. A text that is not percent-encoded stays as it is.
    private static func decoded(_ text: Substring) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        return trimmed.removingPercentEncoding ?? trimmed
    }

    /// Writes `resource` and `scope`, which every request repeats.
    func write(to message: inout ProtobufMessage) {
        var all = OTLPAttributes()
        for attribute in attributes { all.add(attribute.key, attribute.value) }
        all.add("telemetry.sdk.name", "hopscope")
        all.add("telemetry.sdk.language", "swift")
        message.message(1) { $0.attributes(1, all) }
    }
}
