import Foundation

/// Typed access to JSON for tests.
package struct JSONObject {
    package let fields: [String: Any]

    package init(_ text: some StringProtocol) throws {
        fields = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    private init(fields: [String: Any]) {
        self.fields = fields
    }

    package func text(_ key: String) -> String? { fields[key] as? String }
    package func number(_ key: String) -> Int? { (fields[key] as? NSNumber)?.intValue }
    /// Converts a time in microseconds to nanoseconds.
    package func nanoseconds(_ key: String) -> Int? { (fields[key] as? NSNumber).map { Int(($0.doubleValue * 1000).rounded()) } }
    package func object(_ key: String) -> JSONObject { JSONObject(fields: fields[key] as? [String: Any] ?? [:]) }
    package func list(_ key: String) -> [JSONObject] { (fields[key] as? [[String: Any]] ?? []).map(JSONObject.init(fields:)) }
}
