import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Describes the next step in words: `→ report`, `awaits download`, `after saveRecord`, `waits for 85 of 101`, `waits for 85 of the first
/// 1,024`.
enum NextText {
    static func text(_ next: NextStep, in store: TraceStore, _ glyphs: GlyphSet) -> String {
        let name = TaskWords(store).name(of: next.other)
        return switch next.relation {
        case .leadsTo(let more): "\(Character(glyphs[.arrow])) \(name)\(more ? ", \(Character(glyphs[.ellipsis]))" : "")"
        case .awaits: "awaits \(name)"
        case .follows: "after \(name)"
        case .gathers(let open, let all, let isPart):
            "waits for \(CountText.text(open)) of \(isPart ? "the first " : "")\(CountText.text(all))"
        }
    }
}
