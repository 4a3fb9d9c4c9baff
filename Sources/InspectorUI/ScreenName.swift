/// The screens that have a tab, in the order of the tabs.
package enum ScreenName: Int, CaseIterable, Sendable {
    case tasks, graph, executors

    /// The tab's text; its digit is the position from 1.
    package var title: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .executors: "Executors"
        }
    }

    package var digit: Int { rawValue + 1 }

    package func moved(by steps: Int) -> ScreenName {
        let count = Self.allCases.count
        return Self.allCases[((rawValue + steps) % count + count) % count]
    }
}
