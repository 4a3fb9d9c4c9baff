/// The kinds of events in a stretch of a trace, so that one that has none of a kind need not be read for it.
package struct EventKinds: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package init(_ kind: EventKind) {
        self.init(code: kind.rawValue)
    }

    /// The last bit stands for all the kinds that have none of their own.
    @inline(__always)
    package init(code: UInt8) {
        self.init(rawValue: 1 << UInt64(min(code, 63)))
    }

    package static let all = EventKinds(rawValue: .max)
}
