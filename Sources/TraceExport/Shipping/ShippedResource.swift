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

    /// Removes blanks at both ends and the percent encoding.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let trimmed = bytes.drop(while: blank).reversed().drop(while: blank).reversed()
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// Writes `resource` and `scope`, which every request repeats.
    func write(to message: inout ProtobufMessage) {
        message.message(1) { resource in
            for attribute in attributes { resource.attribute(1, attribute.key, .text(attribute.value)) }
            resource.attribute(1, "telemetry.sdk.name", .text("hopscope"))
            resource.attribute(1, "telemetry.sdk.language", .text("swift"))
        }
    }
}
