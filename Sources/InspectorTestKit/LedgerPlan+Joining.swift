/// The distance between the numbers of two joined plans. Even, because a chain's error takes its type from whether its number is even.
private let distance = 1_000

extension NativePlan {
    package static func joined(_ plans: [NativePlan]) -> NativePlan {
        NativePlan(plans.enumerated().flatMap { index, plan in plan.steps.map { $0.moved(by: index * distance) } })
    }
}

extension NativePlan.Step {
    fileprivate func moved(by offset: Int) -> Self {
        var step = self
        for number in [\Self.id, \.target, \.error] where step[keyPath: number] != 0 { step[keyPath: number] += offset }
        step.steps = steps.map { $0.moved(by: offset) }
        step.rest = rest.map { $0.moved(by: offset) }
        return step
    }
}

extension ChainPlan {
    /// The tasks that never end are made after all others have ended.
    package static func joined(_ plans: [ChainPlan]) -> ChainPlan {
        var all = ChainPlan()
        for (index, plan) in plans.enumerated() {
            all.steps += plan.steps.map { $0.moved(by: index * distance) }
            all.leftOpen += plan.leftOpen.map { $0.moved(by: index * distance) }
        }
        return all
    }
}

extension ChainPlan.Step {
    fileprivate func moved(by offset: Int) -> Self {
        var step = self
        let numbers = [\Self.id, \.token, \.reads, \.error, \.returned]
        for number in numbers where step[keyPath: number] != 0 { step[keyPath: number] += offset }
        step.targets = targets.map { $0 + offset }
        return step
    }
}

extension BlockPlan {
    package static func joined(_ plans: [BlockPlan]) -> BlockPlan {
        BlockPlan(plans.enumerated().flatMap { index, plan in plan.steps.map { $0.moved(by: index * distance) } })
    }
}

extension BlockPlan.Step {
    fileprivate func moved(by offset: Int) -> Self {
        var step = self
        if id != 0 { step.id += offset }
        step.steps = steps.map { $0.moved(by: offset) }
        return step
    }
}
