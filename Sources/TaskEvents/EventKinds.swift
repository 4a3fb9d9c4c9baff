/// The event kinds that occur in a stretch of a trace. A search skips the stretches without the wanted kind.
package struct EventKinds: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package init(_ kind: EventKind) {
        self.init(code: kind.rawValue)
    }

    /// The last bit represents all codes from 63 on.
    @inline(__always)
    package init(code: UInt8) {
        self.init(rawValue: 1 << UInt64(min(code, 63)))
    }

    package static let all = EventKinds(rawValue: .max)
}
