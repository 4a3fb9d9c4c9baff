import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// Where a task's time went, as every output states it.
package struct ReportedExplanation {
    private struct Segment {
        let kind: String
        let nanoseconds: UInt64
        let task: TaskID
        let executor: String?
        let place: String?
        /// The job that held the executor, with its place.
        let behind: String?
        let peersMedian: UInt64?
        let phrase: String
    }

    private let task: TaskID
    private let name: String
    private let place: String?
    private let total: UInt64?
    private let segments: [Segment]?
    private let peerCount: Int
    private let sentence: String

    package init(_ explanation: TimeExplanation, in store: TraceStore, isASCII: Bool = false) {
        let words = TimeWords(store, isASCII: isASCII)
        task = explanation.task
        name = TaskWords(store).name(of: task)
        place = store.task(task)?.label.knownSite.map(PrintableText.text)
        total = explanation.total
        segments = explanation.segments?.map { segment in
            Segment(
                kind: segment.kind.rawValue, nanoseconds: segment.nanoseconds, task: segment.task,
                executor: store.name(of: segment.executor), place: words.site(of: segment),
                behind: segment.behind.map { words.text(of: $0) }, peersMedian: segment.peersMedian, phrase: words.phrase(segment))
        }
        peerCount = explanation.peerCount
        sentence = words.sentence(explanation) + "."
    }

    /// Writes the explanation as a JSON object on one line. `segments` is null if they are unknown.
    package func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.object { line in
            line.field("task", task.rawValue)
            line.field("total_ns", orNull: total)
            if let segments {
                line.array("segments") { line in
                    for segment in segments { line.object { Self.write(segment, to: &$0) } }
                }
            } else {
                line.null("segments")
            }
            line.field("sentence", sentence)
        }
        output.write(line.text)
        output.write("\n")
    }

    private static func write(_ segment: Segment, to line: inout JSONLine) {
        line.field("kind", segment.kind)
        line.field("ns", segment.nanoseconds)
        line.field("task", segment.task.rawValue)
        line.field("executor", orNull: segment.executor)
        line.field("where", orNull: segment.place)
        line.field("behind", orNull: segment.behind)
        line.field("peers_p50_ns", orNull: segment.peersMedian)
    }

    // MARK: Text

    private static let segmentLimit = 20

    /// Writes the sentence, and a table of the segments with their shares.
    package func writeText(to output: inout some TextOutputStream, isASCII: Bool = false) {
        output.write("`\(name)`\(place.map { " at \($0)" } ?? "")\(name == task.words ? "" : ", \(task.words)")\n")
        output.write("  \(sentence)\n")
        guard let segments, let total, !segments.isEmpty else { return }
        var table = TextTable(
            [
                .init(heading: "share", isNumber: true), .init(heading: "time", isNumber: true),
                .init(heading: peerCount == 0 ? "" : "peers p50", isNumber: true), .init(heading: "what it was"),
            ], isASCII: isASCII)
        for segment in segments.prefix(Self.segmentLimit) {
            let peers = segment.peersMedian.map { DurationText.text($0, isASCII: isASCII) } ?? ""
            table.append([
                "\(share(segment.nanoseconds, of: total)) %", DurationText.text(segment.nanoseconds, isASCII: isASCII), peers,
                segment.phrase,
            ])
        }
        output.write("\n")
        for line in table.lines(indent: 2) { output.write("\(line)\n") }
        if segments.count > Self.segmentLimit {
            output.write("  \(isASCII ? "..." : "…") and \(CountText.text(segments.count - Self.segmentLimit, "more segment"))\n")
        }
        guard peerCount > 0 else { return }
        output.write("\n  Compared with \(CountText.text(peerCount, "task")) made at the same place.\n")
    }

    private func share(_ nanoseconds: UInt64, of total: UInt64) -> UInt64 {
        total == 0 ? 0 : UInt64((Double(nanoseconds) * 100 / Double(total)).rounded())
    }
}
