/// The rules, in the order in which lists of them have them.
///
/// Those that need the events of Swift Concurrency (`priority-inversion`, `fixed-priority`, `slow-start`, `actor-reentrancy`) come with the
/// probe.
package enum WarningRules {
    package static let all: [any WarningRule] = [
        WaitCycle(), NeverCompleted(), CompletedTwice(), UnobservedFault(),
        SwallowedError(), MainStall(), PoolStarvation(), BlockingWait(), LateCancel(), OffMain(),
        HopBounce(), RedundantHop(), StartOrder(), FanOut(),
    ]

    package static func named(_ id: String) -> (any WarningRule)? {
        all.first { $0.id == id }
    }
}
