import TraceAnalysis
import TraceStore

/// Samples as folded stacks, a line for each stack, as flame graph renderers read them: first the tasks, then the calls, outermost first.
struct FoldedExport: Export {
    static let name = "folded"
    static let summary = "samples as folded stacks, for flame graphs"

    static let needsProfile = true

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {
        guard let profile = trace.profile else { return }
        for stack in NamedStack.all(of: profile, in: trace.store) {
            let names = stack.tasks + stack.frames.reversed().map(\.function)
            output.write("\(names.map(Self.word).joined(separator: ";")) \(stack.count)\n")
        }
    }

    /// A name without the characters that separate names and lines.
    private static func word(_ name: String) -> String {
        String(PrintableText.text(name).map { $0 == ";" ? ":" : $0 })
    }
}
