import TraceAnalysis
import TraceStore

/// The table of the parts of the time of tasks, by the place that made them.
extension TextReport {
    func sites() -> [String] {
        let sites = SiteTimes.all(in: store, steps)
        guard !sites.isEmpty else { return [] }
        typealias Part = (heading: String, value: (SiteTimes) -> UInt64?)
        let running: [Part] = steps == nil ? [("running", \.running)] : [("on cpu", \.onCPU), ("runnable", \.runnable)]
        let parts = running + [("blocked", \.blocked), ("queued", \.queued), ("awaiting", \.awaiting)]
        var table = TextTable(
            [.init(heading: "tasks made at", limit: 36), .init(heading: "tasks", isNumber: true)]
                + parts.map { .init(heading: $0.heading, isNumber: true) }, isASCII: isASCII)
        for site in sites.prefix(Self.siteLimit) {
            let times = parts.map { $0.value(site).map { duration($0) } ?? "unknown" }
            table.append([site.site, CountText.text(site.tasks)] + times)
        }
        let end = steps?.threadTimes?.end.map { ["", "  \($0.sentence(at: duration($0.time)))"] } ?? []
        return heading("Where the time went") + table.lines(indent: 2) + more(sites.count - Self.siteLimit, "place") + end
    }
}
