import ArgumentParser
import CExploreRecord

/// The way in which an order is chosen.
enum OrderPolicy: String, ExpressibleByArgument, CaseIterable {
    /// By priorities of the tasks, which change at a few random places.
    case pct
    /// Each choice by chance.
    case random
    /// First come, first served.
    case fifo

    var number: UInt32 {
        switch self {
        case .pct: UInt32(EXPLORE_BY_PRIORITY)
        case .random: UInt32(EXPLORE_BY_CHANCE)
        case .fifo: UInt32(EXPLORE_BY_PLAN)
        }
    }
}

/// What all orders of a search have in common.
struct OrderSettings {
    /// The milliseconds that an order may take, and the choices that it may have.
    static let limit: UInt32 = 10_000
    static let mostChoices: UInt32 = 500_000

    var policy = OrderPolicy.pct
    var depth: UInt32 = 3
    var earlyLimit: Int64 = 20_000_000
    var isRealTime = false
    /// True if virtual time passes no faster than real time while something from outside is awaited.
    var isPatient = false
    /// True if the order may also change where the program counts references or accesses a variable.
    var isFine = false
    /// The choices among which the priorities change.
    var length: UInt32 = 200
}
