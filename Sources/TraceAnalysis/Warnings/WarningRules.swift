/// The rules, in the order in which lists of them have them.
///
/// Those that need the events of Swift Concurrency (`start-order`, `off-main`, `priority-inversion`, `fixed-priority`, `slow-start`,
/// `actor-reentrancy`) come with the probe. `off-main` is among them because a chain's body that asked for main always runs there.
package enum WarningRules {
    package static let all: [any WarningRule] = [
        WaitCycle(), NeverCompleted(), CompletedTwice(),
        UnobservedFault(), SwallowedError(), MainStall(), PoolStarvation(), BlockingWait(),
        HopBounce(), RedundantHop(), FanOut(), LateCancel(),
    ]

    package static func named(_ id: String) -> (any WarningRule)? {
        all.first { $0.id == id }
    }
}
