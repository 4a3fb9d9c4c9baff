import TaskEvents
import TraceTestKit

/// The programs of the corpus that stand at a rule's boundary: a row for each rule.
///
/// A shape is the smallest program with the rule's problem, of a given extent: nanoseconds, or a count. At the rule's threshold it is
/// harmless, one beyond it is not. A variant is a program that differs from a problem in one fact.
struct WarningCorpus: Sendable {
    struct Variant: Sendable {
        let name: String
        let isFound: Bool
        /// Whether the program has ended.
        var isOver = true
        let build: @Sendable (inout SwiftTrace) -> Void
    }

    let rule: String
    /// The extent that is still harmless; nil for a rule that has no extent.
    var limit: UInt64?
    var shape: (@Sendable (inout SwiftTrace, _ extent: UInt64) -> Void)?
    var variants: [Variant] = []
    /// Rules that the shape breaks too.
    var companions: Set<String> = []

    static let rows = chains + swift

    static func row(_ rule: String) -> WarningCorpus? { rows.first { $0.rule == rule } }

    /// A program of the corpus, and whether the rule finds something in it.
    struct Program: Sendable {
        let name: String
        let isFound: Bool
        var isOver = true
        var threshold: UInt64?
        let build: @Sendable (inout SwiftTrace) -> Void
    }

    /// The programs at the boundary.
    var boundary: [Program] {
        var programs = variants.map { Program(name: $0.name, isFound: $0.isFound, isOver: $0.isOver, build: $0.build) }
        guard let limit, let shape else { return programs }
        programs.append(Program(name: "at the threshold", isFound: false) { shape(&$0, limit) })
        programs.append(Program(name: "one beyond the threshold", isFound: true) { shape(&$0, limit + 1) })
        programs.append(Program(name: "at a higher threshold", isFound: false, threshold: limit + 1) { shape(&$0, limit + 1) })
        return programs
    }

    /// A harmless program for a seed.
    func clean(seed: UInt64) -> @Sendable (inout SwiftTrace) -> Void {
        let quiet = variants.filter { !$0.isFound && $0.isOver }
        var random = SeededGenerator(seed: seed)
        if let limit, let shape, quiet.isEmpty || !seed.isMultiple(of: 3) {
            let extent = UInt64.random(in: 1...limit, using: &random)
            return { shape(&$0, extent) }
        }
        return quiet[Int(seed) % quiet.count].build
    }

    static let milliseconds: UInt64 = 1_000_000
}

extension SwiftTrace {
    /// A job of a chain's task: it begins, does `body`, and ends.
    mutating func job(
        _ task: TaskID, on executor: ExecutorID, nanoseconds: UInt64 = 1000, lane: UInt16? = nil,
        _ body: (inout SwiftTrace) -> Void = { _ in }
    ) {
        trace.lane = 0
        trace.enqueue(task)
        trace.lane = lane ?? executor.rawValue + 30
        trace.start(task)
        body(&self)
        trace.lane = lane ?? executor.rawValue + 30
        wait(nanoseconds: nanoseconds)
        trace.complete(task)
        trace.endJob(task)
        trace.lane = 0
    }
}
