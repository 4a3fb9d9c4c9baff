import Foundation

/// How hard tests try that get better with time: as long as HOPSCOPE_STRESS_OPERATIONS says, or as a day's work allows.
package enum Stress {
    /// How many operations such a test makes.
    package static func operations(everyDay: Int) -> Int {
        ProcessInfo.processInfo.environment["HOPSCOPE_STRESS_OPERATIONS"].flatMap(Int.init) ?? everyDay
    }
}
