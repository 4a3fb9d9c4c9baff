/// The screens that have a tab, in the order of the tabs. The digit that picks one is always the same.
package enum ScreenName: Int, CaseIterable, Sendable {
    case tasks = 1
    case graph, executors
    case faults = 5
    case hops

    /// The tab's text.
    package var title: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .executors: "Executors"
        case .faults: "Faults"
        case .hops: "Hops"
        }
    }

    package var digit: Int { rawValue }

    package func moved(by steps: Int) -> ScreenName {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[((place + steps) % all.count + all.count) % all.count]
    }
}
