extension ChainPlan {
    /// The plans with one step less and without the steps that need it, and those with a simpler body. The largest removals come first.
    package var smaller: [ChainPlan] {
        let shorter = steps.indices.map { index -> ChainPlan in
            var plan = self
            plan.steps.remove(at: index)
            return plan.repaired
        }
        var all = shorter.sorted { $0.steps.count < $1.steps.count }
        if !leftOpen.isEmpty {
            var plan = self
            plan.leftOpen.removeLast()
            all.insert(plan, at: 0)
        }
        for index in steps.indices {
            func changing(_ change: (inout Step) -> Void) {
                var plan = self
                change(&plan.steps[index])
                all.append(plan)
            }
            let step = steps[index]
            if step.work != 0 { changing { $0.work = 0 } }
            if step.executor != 0 { changing { $0.executor = 0 } }
            if step.token != 0 { changing { $0.token = 0 } }
            if step.reads != 0 { changing { $0.reads = 0 } }
            if step.targets.count > 1 { changing { $0.targets.removeLast() } }
        }
        return all
    }

    /// Counts steps, and what can be left out of each.
    package var weight: Int { (steps + leftOpen).reduce(0) { $0 + $1.weight } }

    /// The plan without steps whose tasks are missing. A source that nothing ends is ended with a value.
    private var repaired: ChainPlan {
        var plan = self
        var made: Set<Int> = []
        func isWhole(_ step: Step) -> Bool {
            step.operation == .cancelToken || step.targets.allSatisfy(made.contains)
        }
        func repair(_ steps: [Step]) -> [Step] {
            steps.compactMap { step in
                guard isWhole(step) else { return nil }
                var step = step
                if !made.contains(step.reads) { step.reads = 0 }
                if !made.contains(step.returned) {
                    step.returned = 0
                    if step.end == .returnsTask { step.end = .returns }
                }
                if step.id != 0 { made.insert(step.id) }
                return step
            }
        }
        plan.steps = repair(steps)
        plan.leftOpen = repair(leftOpen)
        let settings: Set<Operation> = [.setValue, .setError, .setCancelled]
        let set = Set(plan.steps.filter { settings.contains($0.operation) }.flatMap(\.targets))
        for step in plan.steps where [.source, .awsSource, .fbSource].contains(step.operation) && !set.contains(step.id) {
            var ending = Step(operation: .setValue)
            ending.targets = [step.id]
            plan.steps.append(ending)
        }
        return plan
    }
}

extension ChainPlan.Step {
    fileprivate var weight: Int {
        let parts = [operation != .setValue, work != 0, executor != 0, token != 0, reads != 0]
        return 100 + targets.count + parts.count { $0 }
    }
}

extension ChainPlan: CustomStringConvertible {
    /// The steps, one per line.
    package var description: String {
        (steps.map { Self.line($0) } + (leftOpen.isEmpty ? [] : ["when all have ended"]) + leftOpen.map { Self.line($0) })
            .joined(separator: "\n")
    }

    private static func line(_ step: Step) -> String {
        let facts = [
            step.id != 0 ? "\(step.id)" : nil, step.targets.isEmpty ? nil : "of \(step.targets.map(String.init).joined(separator: ", "))",
            step.executor != 0 ? "on \(executors[step.executor])" : nil, step.token != 0 ? "token \(step.token)" : nil,
            step.reads != 0 ? "reads \(step.reads)" : nil, step.end != .returns ? "\(step.end)" : nil,
            step.returned != 0 ? "\(step.returned)" : nil, step.error != 0 ? "error \(step.error)" : nil,
        ]
        return ([step.operation.rawValue] + facts.compactMap { $0 }).joined(separator: " ")
    }
}
