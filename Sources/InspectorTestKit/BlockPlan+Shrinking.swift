extension BlockPlan {
    /// The plans with one step less, or with one step replaced by its own steps. The largest removals come first.
    package var smaller: [BlockPlan] { Self.smaller(steps).map { BlockPlan($0) } }

    /// The number of steps.
    package var weight: Int { Self.weight(steps) }

    private static func weight(_ steps: [Step]) -> Int { steps.reduce(0) { $0 + 1 + weight($1.steps) } }

    private static func smaller(_ steps: [Step]) -> [[Step]] {
        var all: [[Step]] = []
        for index in steps.indices {
            var without = steps
            without.remove(at: index)
            all.append(without)
        }
        for (index, step) in steps.enumerated() {
            for inner in smaller(step.steps) {
                var steps = steps
                steps[index].steps = inner
                all.append(steps)
            }
        }
        return all
    }
}

extension BlockPlan: CustomStringConvertible {
    /// The steps, one per line, indented by depth.
    package var description: String { Self.lines(steps, "").joined(separator: "\n") }

    private static func lines(_ steps: [Step], _ indent: String) -> [String] {
        steps.flatMap { step in
            let isWork = step.operation == .work
            let queue = isWork || step.operation == .task || step.operation == .perform ? "" : " on queue \(step.queue)"
            let own = "\(indent)\(step.operation)\(isWork ? "" : " \(step.id)")\(queue)\(step.number == 1 ? "" : " (\(step.number))")"
            return [own] + lines(step.steps, indent + "    ")
        }
    }
}
