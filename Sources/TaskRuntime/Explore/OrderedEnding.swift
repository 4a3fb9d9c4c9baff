/// A way in which an order can end.
enum OrderedEnding: Sendable, Equatable {
    case passed
    /// The body throws.
    case threw(type: String, text: String)
    /// The expectation does not hold for the body's value.
    case unexpected(text: String)
    /// A source is set a second time.
    case setTwice(text: String)
    /// Nothing can run, and no timer is set.
    case deadlock
    /// It did not end in time.
    case hang
    /// It had too many steps, so nothing is known of its end.
    case cutShort

    /// The word for it in an order's text. Two endings are alike if their words are.
    var word: String {
        switch self {
        case .passed: "none"
        case .threw(let type, _): "throws \(type)"
        case .unexpected: "expectation"
        case .setTwice: "set twice"
        case .deadlock: "deadlock"
        case .hang: "hang"
        case .cutShort: "cut short"
        }
    }

    var sentence: String {
        switch self {
        case .passed: "it does not fail"
        case .threw(_, let text): "it throws \(text)"
        case .unexpected(let text): "the expectation does not hold for \(text)"
        case .setTwice(let text): text
        case .deadlock: "deadlock: nothing can run, and no timer is set"
        case .hang: "it does not end within \(OrderedSettings.longest / OrderedSettings.ticksPerSecond) s"
        case .cutShort: "it has more than \(OrderedSettings.mostSteps) steps"
        }
    }

    var isFailure: Bool {
        switch self {
        case .passed, .cutShort: false
        case .threw, .unexpected, .setTwice, .deadlock, .hang: true
        }
    }

    func isLike(_ other: OrderedEnding) -> Bool { word == other.word }
}
