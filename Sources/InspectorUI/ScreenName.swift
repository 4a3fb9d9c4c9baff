/// The screens that have a tab, in the order of the tabs. The digit that picks one is always the same.
package enum ScreenName: Int, CaseIterable, Sendable {
    case tasks = 1
    case graph, executors, timeline, faults, hops, warnings, output

    /// Those that show what a trace says: output is only where the program was started.
    package static let ofTraces = allCases.filter { $0 != .output }

    /// The tab's text.
    package var title: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .executors: "Executors"
        case .timeline: "Timeline"
        case .faults: "Faults"
        case .hops: "Hops"
        case .warnings: "Warnings"
        case .output: "Output"
        }
    }

    /// For narrow screens.
    var shortTitle: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .executors: "Exec"
        case .timeline: "Time"
        case .faults: "Fault"
        case .hops: "Hops"
        case .warnings: "Warn"
        case .output: "Out"
        }
    }

    package var digit: Int { rawValue }

    /// The next of those that there are.
    func moved(by steps: Int, in all: [ScreenName]) -> ScreenName {
        let place = all.firstIndex(of: self) ?? 0
        return all[((place + steps) % all.count + all.count) % all.count]
    }
}
