import CExploreRecord
import CodeSymbols
import TaskEvents

/// A deviation in words: which strand runs instead of which, and where.
struct OrderStep {
    let task: String
    let slice: Int
    let site: String?
    let insteadOf: String
    let text: String

    static func all(_ choices: [explore_choice], _ strands: [explore_strand], program: String) -> [OrderStep] {
        let offsets = choices.flatMap { [$0.here, $0.there] } + strands.map(\.site)
        let addresses = Set(offsets.compactMap { site($0, program) })
        let symbols = Symbolizer().symbols(of: addresses)
        var names = [UInt32(EXPLORE_TIME_ID): "time"]
        var counts: [UInt32: Int] = [:]
        func line(_ offset: UInt64) -> String? {
            guard let symbol = site(offset, program).flatMap({ symbols[$0] }), symbol.line > 0 else { return nil }
            return "\(symbol.file):\(symbol.line)"
        }
        for strand in strands {
            counts[strand.kind, default: 0] += 1
            names[strand.id] = name(strand.kind, counts[strand.kind] ?? 0, line(strand.site))
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
        let tenths = max(0, nanoseconds + 50_000) / 100_000
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

    private static func site(_ offset: UInt64, _ program: String) -> CodeAddress? {
        offset == 0 ? nil : UInt32(exactly: offset).map { CodeAddress(module: program, offset: $0) }
    }
}
