import TraceAnalysis

/// One subject that `hopscope doctor` examines.
protocol Examination {
    var title: String { get }
    func lines() -> [DoctorLine]
}

/// A fact that `hopscope doctor` found, and advice for the user.
struct DoctorLine: Equatable {
    let subject: String
    let fact: String
    /// A whole sentence; nil if there is nothing to do.
    var advice: String?

    init(_ subject: String, _ fact: String, advice: String? = nil) {
        self.subject = subject
        self.fact = fact
        self.advice = advice
    }

    /// One line, or two with the advice. Facts can contain text from programs, so control characters are removed.
    func text(isASCII: Bool) -> String {
        let words = "  \(subject.padded(to: 12)) \(PrintableText.text(fact))\n"
        guard let advice else { return words }
        return "\(words)\(String(repeating: " ", count: 15))\(isASCII ? "->" : "→") \(PrintableText.text(advice))\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
