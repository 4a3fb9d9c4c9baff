import TraceAnalysis
import TraceStore

/// The table of the parts of the time that the tasks of each site took.
extension TextReport {
    func sites() -> [String] {
        let sites = SiteTimes.all(in: store)
        guard !sites.isEmpty else { return [] }
        var table = TextTable(
            [.init(heading: "tasks made at", limit: 36), .init(heading: "tasks", isNumber: true)]
                + ["running", "blocked", "queued", "awaiting"].map { .init(heading: $0, isNumber: true) }, isASCII: isASCII)
        for site in sites.prefix(Self.siteLimit) {
            let parts = [site.running, site.blocked, site.queued, site.awaiting]
            table.append([site.site, CountText.text(site.tasks)] + parts.map { $0.map { duration($0) } ?? "unknown" })
        }
        return heading("Where the time went") + table.lines(indent: 2) + more(sites.count - Self.siteLimit, "site")
    }
}
