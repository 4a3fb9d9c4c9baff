/// The priority of a Swift task's job, as one of Swift's named classes.
package enum JobPriority: UInt8, CaseIterable, Comparable, Sendable {
    case background = 1
    case low = 2
    case medium = 3
    case high = 4
    case interactive = 5

    /// The class of a raw priority. Swift's own raw values are 9, 17, 21, 25 and 33; a program may use others in between. Nil for 0, which
    /// stands for no priority.
    init?(counted: UInt8) {
        switch counted {
        case 0: return nil
        case 1..<17: self = .background
        case 17..<21: self = .low
        case 21..<25: self = .medium
        case 25..<33: self = .high
        default: self = .interactive
        }
    }

    package static func < (one: JobPriority, other: JobPriority) -> Bool {
        one.rawValue < other.rawValue
    }
}
