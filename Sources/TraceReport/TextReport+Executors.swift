import TaskEvents
import TraceAnalysis
import TraceStore

/// The table of executors and the summary of hops.
extension TextReport {
    func executors() -> [String] {
        let executors = store.executors
        guard !executors.isEmpty else { return [] }
        var table = TextTable(
            [
                .init(heading: "executor", limit: 28), .init(heading: "kind"), .init(heading: "jobs", isNumber: true),
                .init(heading: "deepest", isNumber: true), .init(heading: "wait p50", isNumber: true),
                .init(heading: "wait p99", isNumber: true), .init(heading: "busy", isNumber: true),
                .init(heading: "longest", isNumber: true),
            ], isASCII: isASCII)
        for executor in executors.prefix(Self.executorLimit) {
            table.append([
                PrintableText.text(executor.name), executor.kind.name, CountText.text(executor.jobs), CountText.text(executor.maxDepth),
                duration(executor.waits.p50), duration(executor.waits.p99), duration(executor.busy),
                duration(executor.longestJob?.nanoseconds),
            ])
        }
        let count = executors.count
        return heading(CountText.text(count, "executor")) + table.lines(indent: 2) + more(count - Self.executorLimit, "executor")
    }

    func hops() -> [String] {
        let analysis = HopAnalysis(store)
        let hops = analysis.hops()
        guard !hops.isEmpty else { return ["", "No hops"] }
        let routes = analysis.routes(of: hops)
        var table = TextTable(
            [
                .init(heading: "from", limit: 24), .init(heading: "to", limit: 24), .init(heading: "hops", isNumber: true),
                .init(heading: "wait p50", isNumber: true), .init(heading: "wait p99", isNumber: true), .init(heading: "classes"),
            ], isASCII: isASCII)
        for route in routes.prefix(Self.routeLimit) {
            let waits = route.waits
            let classes = HopClass.allCases.compactMap { hopClass in
                let count = route.count(of: hopClass)
                return count == 0 ? nil : count == route.count ? hopClass.name : "\(CountText.text(count)) \(hopClass.name)"
            }
            table.append([
                words.name(route.from), words.name(route.to), CountText.text(route.count), duration(waits.value(at: 50)),
                duration(waits.value(at: 99)), classes.joined(separator: ", "),
            ])
        }
        let lines = table.lines(indent: 2).map { $0.shortened(to: Self.width, ellipsis) }
        return heading(CountText.text(hops.count, "hop")) + lines + more(routes.count - Self.routeLimit, "route")
    }
}
