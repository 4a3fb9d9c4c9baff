import TraceAnalysis
import TraceStore

/// Samples as folded stacks, a line for each stack, as flame graph renderers read them: first the tasks, then the calls, outermost first.
/// Tasks that were made at one place are one name.
struct FoldedExport: Export {
    static let name = "folded"
    static let summary = "samples as folded stacks, for flame graphs"

    static let needsProfile = true

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {
        guard let profile = trace.profile else { return }
        // Different places of one function are one name.
        var counts: [String: Int] = [:]
        let stacks = profile.named(in: trace.store)
        let tree = FlameTree(stacks, in: trace.store)
        for (index, stack) in stacks.enumerated() {
            let names = tree.taskNodes(ofStack: index).map(\.name) + stack.frames.reversed().map(\.function)
            counts[names.map(Self.word).joined(separator: ";"), default: 0] += stack.count
        }
        for (stack, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) { output.write("\(stack) \(count)\n") }
    }

    /// A name without the characters that separate names and lines.
    private static func word(_ name: String) -> String {
        String(PrintableText.text(name).map { $0 == ";" ? ":" : $0 })
    }
}
