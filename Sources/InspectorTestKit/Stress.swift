import Foundation

/// The size of tests that find more the longer they run. HOPSCOPE_STRESS_OPERATIONS sets it. The default suits daily use.
package enum Stress {
    /// The number of operations of such a test.
    package static func operations(everyDay: Int) -> Int {
        ProcessInfo.processInfo.environment["HOPSCOPE_STRESS_OPERATIONS"].flatMap(Int.init) ?? everyDay
    }
}
