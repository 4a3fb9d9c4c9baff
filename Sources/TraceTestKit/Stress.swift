import Foundation

/// The size of tests that find more the longer they run. HOPSCOPE_STRESS_OPERATIONS sets it. The default suits daily use.
package enum Stress {
    /// The number of operations of such a test.
    package static func operations(everyDay: Int) -> Int {
        number("HOPSCOPE_STRESS_OPERATIONS") ?? everyDay
    }

    /// The number of snapshots that a test takes of one program. HOPSCOPE_SNAPSHOTS sets it.
    package static func snapshots(everyDay: Int) -> Int {
        number("HOPSCOPE_SNAPSHOTS") ?? everyDay
    }

    /// The number of tasks that a healthy program makes in each way. HOPSCOPE_LEAKS sets it.
    package static func leaks(everyDay: Int) -> Int {
        number("HOPSCOPE_LEAKS") ?? everyDay
    }

    /// The number of random runtimes that a search makes. HOPSCOPE_MUTATIONS sets it.
    package static func mutations(everyDay: Int) -> Int {
        number("HOPSCOPE_MUTATIONS") ?? everyDay
    }

    /// The seed of the first random runtime or layout. HOPSCOPE_FIRST_MUTATION sets it.
    package static var firstMutation: Int { number("HOPSCOPE_FIRST_MUTATION") ?? 1 }

    /// The minutes after which a suite is ended that searches random runtimes. A search needs a few seconds for each.
    package static var minutesOfMutations: Int { 5 + mutations(everyDay: 0) / 2 }

    /// The number of places of a trace that a test goes to. HOPSCOPE_SEEKS sets it.
    package static func seeks(everyDay: Int) -> Int {
        number("HOPSCOPE_SEEKS") ?? everyDay
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
}
