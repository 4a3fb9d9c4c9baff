import Foundation

/// The ledger that a program of blocks and tasks writes about itself.
package struct BlockLedger: Sendable {
    struct Block: Sendable {
        var line: Int
        /// The executor of a block that runs.
        var executor: String
        /// `b` or `t`, and the number of the block or task; `t0` for the main task.
        var maker: String
        var runs: Int
    }

    private(set) var blocks: [String: Block] = [:]
    /// By task, its maker.
    private(set) var makers: [String: String] = [:]
    /// By block, the nanoseconds of its runs.
    private(set) var times: [String: UInt64] = [:]

    package init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "block":
                blocks["b" + words[1]] = Block(line: Int(words[2]) ?? 0, executor: words[3], maker: words[4], runs: Int(words[5]) ?? 0)
            case "task": makers["t" + words[1]] = words[2]
            case "ran": times["b" + words[1], default: 0] += UInt64(words[2]) ?? 0
            case _: throw Unreadable(line: String(line))
            }
        }
    }

    struct Unreadable: Error {
        let line: String
    }

    /// The lines of the blocks from this one to the nearest task that made them, and the task: `32 40 t5`.
    func path(of block: String) -> String {
        guard let known = blocks[block] else { return block }
        return "\(known.line) \(path(of: known.maker))"
    }
}

/// A block of a trace, as its events tell it.
private struct TracedBlock {
    var line = ""
    var maker: UInt64 = 0
    var executor = "-"
    var start: UInt64?
    var end: UInt64?
    var ending = "open"
}

extension LedgerComparison {
    /// Compares a program of blocks with its events and its report.
    package init(_ ledger: BlockLedger, report: Data, events: Data) throws {
        self.init()
        let report = try JSONDecoder().decode(LedgerReport.self, from: report)
        let trace = try BlockTrace(events)
        expect("lost", "records", 0, report.lost)
        compareBlocks(ledger, trace)
        comparePlaces(ledger, report)
        for (task, maker) in ledger.makers.sorted(by: { $0.key < $1.key }) {
            expect("maker", "the maker of \(task)", ledger.path(of: maker), trace.path(ofMakerOf: task))
        }
        for (executor, overlap) in trace.overlaps.sorted(by: { $0.key < $1.key }) {
            expect("serial", "the number of blocks of \(executor) that ran beside another", 0, overlap)
        }
        expect("quiet", "the deadlocks", 0, report.warnings.count { $0.rule == "wait-cycle" })
    }

    /// Blocks of one place, one executor and one line of makers are alike, so they are counted.
    private mutating func compareBlocks(_ ledger: BlockLedger, _ trace: BlockTrace) {
        var expected: [String: Int] = [:]
        for (id, block) in ledger.blocks {
            let runs = block.runs > 0
            expected["\(ledger.path(of: id)) \(runs ? block.executor : "-") \(runs ? "completed" : "cancelled")", default: 0] += max(
                1, block.runs)
        }
        let found = trace.blocks.values.reduce(into: [:]) { counts, block in
            counts["\(trace.path(of: block)) \(block.executor) \(block.ending)", default: 0] += 1
        }
        for key in Set(expected.keys).union(found.keys).sorted() {
            expect("block", "the number of blocks \(key)", expected[key] ?? 0, found[key] ?? 0)
        }
    }

    private mutating func comparePlaces(_ ledger: BlockLedger, _ report: LedgerReport) {
        var runs: [String: Int] = [:]
        var times: [String: UInt64] = [:]
        for (id, block) in ledger.blocks where block.runs > 0 {
            let place = "\(block.line) \(block.executor)"
            runs[place, default: 0] += block.runs
            times[place, default: 0] += ledger.times[id] ?? 0
        }
        expect("count", "the number of blocks", ledger.blocks.values.reduce(0) { $0 + max(1, $1.runs) }, report.blocks?.count ?? 0)
        let places = report.blocks?.places ?? []
        for (place, count) in runs.sorted(by: { $0.key < $1.key }) {
            let found = places.filter { "\(BlockTrace.line(of: $0.where)) \($0.executor ?? "-")" == place }
            expect("place", "the number of blocks at \(place)", count, found.reduce(0) { $0 + $1.count })
            let (time, busy) = (times[place] ?? 0, found.reduce(0) { $0 + $1.busy_ns })
            // The program and the trace read different clocks.
            expect("busy", busy + time / 500 >= time, "the blocks at \(place) ran for \(time) ns, the report says \(busy)")
        }
    }
}

/// The blocks and tasks of a trace in JSON lines.
private struct BlockTrace {
    private struct Event: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let time_ns: UInt64?
        let event: String
        let task, antecedent: UInt64?
        let detail, name, site, executor: String?
    }

    private(set) var blocks: [UInt64: TracedBlock] = [:]
    /// By task, its name and its maker.
    private var tasks: [UInt64: (name: String, maker: UInt64)] = [:]

    init(_ events: Data) throws {
        for line in events.split(separator: UInt8(ascii: "\n")) {
            let event = try JSONDecoder().decode(Event.self, from: Data(line))
            guard let task = event.task else { continue }
            if event.event == "created" {
                if event.detail == "block" {
                    blocks[task] = TracedBlock(line: Self.line(of: event.site), maker: event.antecedent ?? 0)
                } else {
                    tasks[task] = (event.name ?? "", event.antecedent ?? 0)
                }
            }
            switch event.event {
            case "started":
                blocks[task]?.start = event.time_ns
                blocks[task]?.executor = event.executor ?? "-"
            case "completed", "cancelled":
                blocks[task]?.end = event.time_ns
                blocks[task]?.ending = event.event
            case _: break
            }
        }
    }

    static func line(of site: String?) -> String { site?.split(separator: ":").last.map(String.init) ?? "?" }

    func path(of block: TracedBlock) -> String { "\(block.line) \(path(of: block.maker))" }

    private func path(of maker: UInt64) -> String {
        if let block = blocks[maker] { return path(of: block) }
        guard let task = tasks[maker] else { return "nothing" }
        return task.maker == 0 ? "t0" : task.name
    }

    func path(ofMakerOf name: String) -> String {
        tasks.values.first { $0.name == name }.map { path(of: $0.maker) } ?? "no task"
    }

    /// By serial executor, the number of blocks that began before the one before had ended.
    var overlaps: [String: Int] {
        let serial = Set(BlockPlan.queues.filter(\.isSerial).map(\.executor))
        var overlaps: [String: Int] = [:]
        for (executor, blocks) in Dictionary(grouping: blocks.values, by: \.executor) where serial.contains(executor) {
            let runs = blocks.compactMap { block in block.start.flatMap { start in block.end.map { (start, $0) } } }.sorted { $0 < $1 }
            overlaps[executor] = zip(runs, runs.dropFirst()).count { $1.0 < $0.1 }
        }
        return overlaps
    }
}
