import TaskEvents
import TraceAnalysis
import TraceStore

extension Report {
    /// Writes the report for a terminal or a CI log: 100 columns, no colour, and no control characters of the inspected program.
    package func writeText(to output: inout some TextOutputStream, isASCII: Bool = false) {
        TextReport(self, isASCII: isASCII).write(to: &output)
    }
}

/// The text report. A list that leaves entries out ends with their number.
struct TextReport {
    static let width = 100
    static let faultLimit = 20
    static let executorLimit = 30
    static let routeLimit = 30
    static let warningLimit = 30
    static let openLimit = 20
    static let siteLimit = 10
    /// Paths longer than both numbers together show only their first and last steps.
    static let firstSteps = 16
    static let lastSteps = 8

    let store: TraceStore
    let program: String
    let isASCII: Bool
    let words: TaskWords
    let list: WarningList
    let steps: TaskSteps?

    init(_ report: Report, isASCII: Bool) {
        store = report.store
        program = PrintableText.text(report.program)
        self.isASCII = isASCII
        words = TaskWords(report.store)
        steps = report.steps
        list = report.warnings
    }

    func write(to output: inout some TextOutputStream) {
        let sections = [headline, warnings, faults, cancellations, open, sites, executors, blocks, hops]
        for section in sections.lazy.map({ $0() }) where !section.isEmpty {
            for line in section {
                output.write(line)
                output.write("\n")
            }
        }
    }

    var ellipsis: String { isASCII ? "..." : "…" }

    func duration(_ nanoseconds: UInt64?) -> String {
        DurationText.text(nanoseconds, isASCII: isASCII)
    }

    private func headline() -> [String] {
        let lost = store.lostCount == 0 ? "none lost" : "\(CountText.text(store.lostCount)) lost"
        let name = (program.isEmpty ? "unnamed program" : program).shortened(to: 40, ellipsis)
        let counts = [CountText.text(store.taskCount, "task"), CountText.text(store.toldCount, "event"), lost]
        let states = stateCounts().map { state, count in
            // An error that ends ten tasks is one fault, which the section of faults counts.
            let words = state == .faulted ? CountText.text(count, "faulted task") : "\(CountText.text(count)) \(state.word)"
            return "\(state.badge.glyph(isASCII: isASCII)) \(words)"
        }
        let time = store.end == .cut ? "until \(duration(store.now))" : duration(store.now)
        let line = ([name, time] + counts).joined(separator: "   ")
        let open = store.isOver && store.openCount > 0 ? ["\(CountText.text(store.openCount)) open at exit"] : []
        let tasks = open + states
        return [line] + (tasks.isEmpty ? [] : ["  " + tasks.joined(separator: "   ")]) + gaps()
    }

    /// The number of tasks in each state that has any, evicted tasks included.
    private func stateCounts() -> [(DisplayedState, Int)] {
        // A task of a program that has ended runs no more, nor does it wait.
        let open: [TaskState] = store.isOver ? [] : [.running, .queued, .suspended, .pending]
        let states = (open + [.succeeded, .faulted, .cancelled]).map { (DisplayedState($0), store.count(of: $0)) }
        guard !store.swiftRoutes.contains(.ends) else { return states.filter { $1 > 0 } }
        // The trace does not show how Swift's tasks end. Of an evicted task it is not known whether it was one.
        let shown = store.rows.count { ReportedTask.state(of: store[$0]) == .succeeded }
        return states.map { $0 == .succeeded ? ($0, shown) : ($0, $1) }.filter { $1 > 0 }
            + [(.ended, store.count(of: .succeeded) - shown)].filter { $1 > 0 }
    }

    /// Notes on data that the trace lacks.
    private func gaps() -> [String] {
        var lines: [String] = []
        if store.end == .cut { lines.append("  ! The trace does not show the program's end: tasks listed as open may have continued.") }
        if store.lostCount > 0 {
            let records = CountText.text(store.lostCount, "record")
            lines.append("  ! \(records) \(store.lostCount == 1 ? "was" : "were") lost: what they recorded is missing below.")
        }
        let unseen = store.synthesisedCount - store.adoptedCount
        if store.adoptedCount > 0 {
            let tasks = CountText.text(store.adoptedCount, "task")
            let were = store.adoptedCount == 1 ? "was" : "were"
            lines.append("  ! \(tasks) \(were) there before the probe was loaded: the creation and the course until then are unknown.")
        }
        if unseen > 0 {
            let tasks = CountText.text(unseen, "task")
            lines.append("  ! \(tasks) \(unseen == 1 ? "is" : "are") known only in part: the creation was not seen.")
        }
        if store.evictedCount > 0 {
            lines.append("  ! \(CountText.text(store.evictedCount, "ended task")) counted above, but not kept.")
        }
        return lines
    }

    /// A section's heading, with a blank line on either side.
    func heading(_ text: String) -> [String] {
        ["", text, ""]
    }

    func more(_ count: Int, _ noun: String) -> [String] {
        count > 0 ? ["  \(ellipsis) and \(CountText.text(count, "more \(noun)"))"] : []
    }
}
