import Foundation

/// The length of tests that find more the longer they run.
package enum Stress {
    /// The number of operations: HOPSCOPE_STRESS_OPERATIONS, by default `everyDay`.
    package static func operations(everyDay: Int) -> Int {
        ProcessInfo.processInfo.environment["HOPSCOPE_STRESS_OPERATIONS"].flatMap(Int.init) ?? everyDay
    }
}
