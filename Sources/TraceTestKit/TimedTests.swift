import Foundation

/// Tests whose result depends on the speed of the machine. `make timed` runs them on an otherwise idle machine.
package enum TimedTests {
    package static var areWanted: Bool {
        ProcessInfo.processInfo.environment["HOPSCOPE_TIMED_TESTS"] != nil
    }
}
