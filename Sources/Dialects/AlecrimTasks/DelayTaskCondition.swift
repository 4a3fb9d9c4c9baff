import Foundation
import TaskRuntime

/// A condition that is satisfied some time after its evaluation began.
public final class DelayTaskCondition: TaskCondition, @unchecked Sendable {
    /// In seconds. The tolerance is there for the original's sake: these timers are as exact as the system's are.
    public init(timeInterval: TimeInterval, tolerance: TimeInterval = 0, fileID: StaticString = #fileID, line: UInt = #line) {
        let timers = Timers.current
        super.init(fileID: fileID, line: line) { result in
            _ = timers.schedule(after: .seconds(timeInterval)) { result(.Satisfied) }
        }
    }
}
