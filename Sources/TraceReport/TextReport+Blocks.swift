import TraceAnalysis
import TraceStore

/// The table of the blocks that the program gave to Dispatch, operation queues and run loops.
extension TextReport {
    static let blockLimit = 20

    func blocks() -> [String] {
        guard store.blockCount > 0 else { return [] }
        var table = TextTable(
            [
                .init(heading: "block at", limit: 36), .init(heading: "executor", limit: 20), .init(heading: "runs", isNumber: true),
                .init(heading: "wait p99", isNumber: true), .init(heading: "busy", isNumber: true),
                .init(heading: "longest", isNumber: true),
            ], isASCII: isASCII)
        let places = ReportRows(store).blockPlaces
        for row in places.prefix(Self.blockLimit) {
            let operation = row.operation.map { " \($0)" } ?? ""
            table.append([
                (row.place ?? "unknown") + operation, row.executor.map { PrintableText.text($0) } ?? "none", CountText.text(row.count),
                duration(row.waitP99), duration(row.busy), duration(row.longest),
            ])
        }
        let evicted = CountText.text(store.evictedBlockCount, "ended block")
        let kept = store.evictedBlockCount > 0 ? ["  ! \(evicted) counted, but not kept."] : []
        let lines = table.lines(indent: 2).map { $0.shortened(to: Self.width, ellipsis) }
        return heading(CountText.text(store.blockCount, "block")) + kept + lines + more(places.count - Self.blockLimit, "place")
    }
}
