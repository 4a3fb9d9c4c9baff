/// All rules, in the order of every list of rules. Some rules look at chains, some at Swift tasks, most at both.
package enum WarningRules {
    package static let all: [any WarningRule] = [
        WaitCycle(), NeverCompleted(), CancelledBeforeStored(), CompletedTwice(), UnobservedFault(),
        SwallowedError(), MainStall(), LoopStall(), PoolStarvation(), BlockingWait(), PriorityInversion(), SlowStart(), LateCancel(),
        OffMain(), HopBounce(), RedundantHop(), ActorReentrancy(), StartOrder(), FixedPriority(), FanOut(),
        ActorContention(), TaskGrowth(),
    ]

    package static func named(_ id: String) -> (any WarningRule)? {
        all.first { $0.id == id }
    }
}
