/// The rules, in the order in which lists of them have them. Some look at chains, some at Swift's own tasks, most at both.
package enum WarningRules {
    package static let all: [any WarningRule] = [
        WaitCycle(), NeverCompleted(), CompletedTwice(), UnobservedFault(),
        SwallowedError(), MainStall(), PoolStarvation(), BlockingWait(), PriorityInversion(), SlowStart(), LateCancel(),
        OffMain(), HopBounce(), RedundantHop(), ActorReentrancy(), StartOrder(), FixedPriority(), FanOut(),
        ActorContention(), TaskGrowth(),
    ]

    package static func named(_ id: String) -> (any WarningRule)? {
        all.first { $0.id == id }
    }
}
