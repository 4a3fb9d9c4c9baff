/// How urgent a Swift task's job is, in the classes that Swift has names for.
package enum JobPriority: UInt8, CaseIterable, Comparable, Sendable {
    case background = 1
    case low = 2
    case medium = 3
    case high = 4
    case interactive = 5

    /// The class of a priority as Swift counts: of 9, 17, 21, 25 and 33, and of what a program may have put between them. Nil for 0, which
    /// is none.
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
