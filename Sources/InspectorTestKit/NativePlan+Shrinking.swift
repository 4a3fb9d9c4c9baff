extension NativePlan {
    /// The plans with one step less, or with one step replaced by its own steps. The largest removals come first.
    package var smaller: [NativePlan] { Self.smaller(steps).map { NativePlan($0) } }

    /// The number of steps.
    package var weight: Int { Self.weight(steps) }

    private static func weight(_ steps: [Step]) -> Int {
        steps.reduce(0) { $0 + 1 + weight($1.steps) + weight($1.rest) }
    }

    private static func smaller(_ steps: [Step]) -> [[Step]] {
        var all: [[Step]] = []
        for index in steps.indices {
            var without = steps
            without.remove(at: index)
            all.append(without)
        }
        for (index, step) in steps.enumerated() {
            func replacing(_ change: (inout Step) -> Void) {
                var steps = steps
                change(&steps[index])
                all.append(steps)
            }
            for inner in smaller(step.steps) where step.operation != .group || !inner.isEmpty { replacing { $0.steps = inner } }
            for inner in smaller(step.rest) { replacing { $0.rest = inner } }
        }
        return all
    }
}

extension NativePlan: CustomStringConvertible {
    /// The steps, one per line, indented by depth.
    package var description: String { Self.lines(steps, "").joined(separator: "\n") }

    private static func lines(_ steps: [Step], _ indent: String) -> [String] {
        steps.flatMap { step in
            let reads = [.await, .asyncLet, .throwingGroup, .throwingDiscardingGroup].contains(step.operation)
            let facts = [
                step.id != 0 ? "\(step.id)" : nil, step.target != 0 ? "of \(step.target)" : nil,
                step.number != 0 ? "(\(step.number))" : nil, reads ? "\(step.reading)" : nil,
                step.error != 0 ? "throwing \(step.error)" : nil,
            ].compactMap { $0 }
            let own = ["\(indent)\(step.operation) \(facts.joined(separator: " "))"] + lines(step.steps, indent + "    ")
            return step.rest.isEmpty ? own : own + ["\(indent)  then"] + lines(step.rest, indent + "    ")
        }
    }
}

extension NativePlan {
    /// The same program with another operation in place of one.
    package func replacing(_ operation: Operation, with other: Operation) -> NativePlan {
        func replaced(_ steps: [Step]) -> [Step] {
            steps.map { step in
                var step = step
                if step.operation == operation { step.operation = other }
                (step.steps, step.rest) = (replaced(step.steps), replaced(step.rest))
                return step
            }
        }
        return NativePlan(replaced(steps))
    }
}
