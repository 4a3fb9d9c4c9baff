/// The screens that have a tab, in the order of the tabs. The digit that picks one is always the same.
package enum ScreenName: Int, CaseIterable, Sendable {
    case tasks = 1
    case graph, executors, timeline, faults, hops, warnings

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
        }
    }

    package var digit: Int { rawValue }

    package func moved(by steps: Int) -> ScreenName {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[((place + steps) % all.count + all.count) % all.count]
    }
}
