import Benchmark
import Foundation

/// One round of a row of the table that `make bench` ends with. The rounds are lines of JSON in a file, and `Benchmarks/table` takes the
/// medians of each row.
private struct Round: Encodable {
    let row: String
    let unit: String
    let ours: Double
    var peer: String?
    var theirs: Double?
    let target: Double
    /// The relation that the ratio, or our value in a row without a peer, must have to the target.
    let sense: String
    /// How the rounds become one value: the median, or the 99th percentile.
    var summary = "median"

    /// `.build/rows.jsonl` in the package of the benchmarks.
    private static var path: String {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return sources.deletingLastPathComponent().appendingPathComponent(".build/rows.jsonl").path
    }

    func write() {
        guard let line = try? JSONEncoder().encode(self), let file = fopen(Self.path, "a") else { return }
        defer { fclose(file) }
        fputs(String(decoding: line, as: UTF8.self) + "\n", file)
    }
}

extension Benchmark {
    /// A round of a row with a peer: nanoseconds of so many operations each.
    ///
    /// - Parameter target: the largest ratio of our time to the peer's.
    public func compare(_ ours: Int, with peer: String, _ theirs: Int, operations: Int, atMost target: Double) {
        measurement(.ratio, thousandths(ours, of: theirs))
        Round(
            row: name, unit: "ns", ours: Double(ours) / Double(operations), peer: peer, theirs: Double(theirs) / Double(operations),
            target: target, sense: "at most"
        ).write()
    }

    /// A round of a row without a peer whose value must not be larger than the target.
    public func limit(_ value: Double, _ unit: String, atMost target: Double, of part: String? = nil, summary: String = "median") {
        Round(row: part.map { "\(name): \($0)" } ?? name, unit: unit, ours: value, target: target, sense: "at most", summary: summary).write()
    }

    /// A round of a row without a peer whose value must not be smaller than the target.
    public func reach(_ value: Double, _ unit: String, atLeast target: Double) {
        Round(row: name, unit: unit, ours: value, target: target, sense: "at least").write()
    }
}
