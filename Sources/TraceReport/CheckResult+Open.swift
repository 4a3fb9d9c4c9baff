import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// The tasks that were open at exit, in the text and in the output for build servers. No rule reports them, because a wait that does not end
/// proves no mistake. A result names them, because a trace with such a task is no clean pass either.
extension CheckResult {
    /// The maximum number of kinds of open tasks in a result.
    private static let openLimit = 8

    /// `2 tasks were open at exit`. Nil without any.
    var openText: String? {
        guard open.count > 0 else { return nil }
        return "\(CountText.text(open.count, "task")) \(open.count == 1 ? "was" : "were") open at exit"
    }

    /// A sentence for each kind of open tasks: its first task, where it was made, and what that waits for.
    var openSentences: [String] {
        let words = WaitWords(store)
        var sentences = open.all.prefix(Self.openLimit).map { alike in
            let subject = PrintableText.text([name(of: alike.first), site(of: alike.first)].compactMap(\.self).joined(separator: " at "))
            let others = alike.count > 1 ? " and \(CountText.text(alike.count - 1)) more like it" : ""
            let chain = WaitChain(of: .task(alike.first), in: store)
            let isUncertain = store.task(alike.first)?.isUncertain == true
            let wait = isUncertain ? "unknown, its last events may be among the lost records" : words.text(ofLink: 0, of: chain)
            return "\(subject)\(others): \(wait)."
        }
        let more = open.all.count - Self.openLimit
        if more > 0 { sentences.append("… and \(CountText.text(more)) more.") }
        return sentences
    }
}
