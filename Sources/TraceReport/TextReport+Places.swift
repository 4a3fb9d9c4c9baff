import TraceAnalysis
import TraceStore

/// The table of the parts of the time that the tasks of each place took.
extension TextReport {
    func places() -> [String] {
        let places = PlaceTimes.all(in: store)
        guard !places.isEmpty else { return [] }
        var table = TextTable(
            [.init(heading: "tasks made at", limit: 36), .init(heading: "tasks", isNumber: true)]
                + ["running", "blocked", "queued", "awaiting"].map { .init(heading: $0, isNumber: true) }, isASCII: isASCII)
        for place in places.prefix(Self.placeLimit) {
            let parts = [place.running, place.blocked, place.queued, place.awaiting]
            table.append([place.place, CountText.text(place.tasks)] + parts.map { $0.map { duration($0) } ?? "unknown" })
        }
        return heading("Where the time went") + table.lines(indent: 2) + more(places.count - Self.placeLimit, "place")
    }
}
