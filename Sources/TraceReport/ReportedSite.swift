import TextOutput
import TraceAnalysis

/// A source location that created live tasks, in the JSON report.
struct ReportedSite: JSONFields {
    private let site: LiveSite
    private let now: UInt64

    init(_ site: LiveSite, now: UInt64) {
        self.site = site
        self.now = now
    }

    func writeFields(to line: inout JSONLine) {
        line.field("created", site.created)
        line.field("growth_per_s", thousandths: site.thousandthsPerSecond(until: now))
        line.field("live", site.live)
        line.field("oldest_ns", orNull: site.oldest.map { now > $0 ? now - $0 : 0 })
        line.field("where", site.place)
    }
}
