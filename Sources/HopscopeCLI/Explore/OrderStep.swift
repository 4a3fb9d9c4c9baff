import CExploreRecord
import CodeSymbols
import TaskEvents
import TraceAnalysis

/// A deviation in words: which strand runs instead of which, and where.
struct OrderStep {
    let task: String
    let slice: Int
    let site: String?
    let insteadOf: String
    let text: String

    static func all(_ choices: [explore_choice], _ strands: [explore_strand], program: String) -> [OrderStep] {
        let offsets = choices.flatMap { [$0.here, $0.there] } + strands.flatMap { [$0.site, $0.caller] }
        let addresses = Set(offsets.compactMap { address($0, program) })
        let symbols = Symbolizer().symbols(of: addresses)
        var names = [UInt32(EXPLORE_TIME_ID): "time"]
        let mainThread = strands.first { $0.kind == UInt32(EXPLORE_MAIN) }?.id
        var counts: [UInt32: Int] = [:]
        func line(_ offset: UInt64) -> String? {
            guard let symbol = address(offset, program).flatMap({ symbols[$0] }), symbol.line > 0 else { return nil }
            return "\(symbol.file):\(symbol.line)"
        }
        for strand in strands {
            counts[strand.kind, default: 0] += 1
            let given = withUnsafePointer(to: strand) { String(cString: explore_name_of($0)) }
            let site = line(strand.site) ?? line(strand.caller)
            // The compiler's code that makes it has no line.
            let isOfMain = strand.kind == UInt32(EXPLORE_TASK) && counts[strand.kind] == 1 && strand.parent == mainThread
            if isOfMain, site == nil, given.isEmpty {
                names[strand.id] = "the main task"
                continue
            }
            names[strand.id] = given.isEmpty ? name(strand.kind, counts[strand.kind] ?? 0, site) : named(given, site)
        }
        return choices.map { choice in
            let next = names[choice.next] ?? "a thread"
            let (usual, runner) = (names[choice.usual] ?? "a thread", names[choice.strand] ?? "a thread")
            let here = line(choice.here)
            let action =
                choice.next == UInt32(EXPLORE_TIME_ID)
                ? "a timer fires \(milliseconds(choice.early)) early"
                : "\(next) runs\(line(choice.there).map { " from \($0)" } ?? "") instead of \(usual)"
            let moment = here.map { "while \(runner) is at \($0)" } ?? "after \(runner)"
            return OrderStep(task: runner, slice: Int(choice.point), site: here, insteadOf: usual, text: "\(action), \(moment)")
        }
    }

    /// Nanoseconds as milliseconds with one decimal place.
    static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = max(0, nanoseconds &+ 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    private static func name(_ kind: UInt32, _ number: Int, _ line: String?) -> String {
        let origin = line.map { " (\($0))" } ?? ""
        switch kind {
        case UInt32(EXPLORE_MAIN): return "the main thread"
        case UInt32(EXPLORE_TASK): return "task \(number)\(origin)"
        case UInt32(EXPLORE_BLOCK): return "block \(number)\(origin)"
        case UInt32(EXPLORE_THREAD): return "thread \(number)\(origin)"
        case _: return "a thread outside of the order"
        }
    }

    /// The program's own name for a task. The program wrote it, so it is quoted and has no control characters.
    private static func named(_ name: String, _ line: String?) -> String {
        "`\(PrintableText.text(name))`" + (line.map { " (\($0))" } ?? "")
    }

    private static func address(_ offset: UInt64, _ program: String) -> CodeAddress? {
        offset == 0 ? nil : UInt32(exactly: offset).map { CodeAddress(module: program, offset: $0) }
    }
}
