import TaskEvents
import Testing
import TraceTestKit

@testable import TraceLayout

/// Long runs of siblings that succeeded become one line; no other row is ever hidden.
@Suite struct RailFoldTests {
    /// A join of many roots, each with `length` continuations in a line.
    private func fan(_ count: Int, links: Int = 0) -> (graph: RandomGraph, ends: [TaskID], join: TaskID) {
        var graph = RandomGraph()
        let ends = (0..<count).map { _ in
            var end = graph.addRoot()
            for _ in 0..<links { end = graph.addContinuation(of: end) }
            return end
        }
        let join = graph.addJoin(of: ends)
        return (graph, ends, join)
    }

    private func lines(_ graph: RandomGraph, _ folds: RailFolds = RailFolds()) -> [LineSpan] {
        var rails = Rails(of: graph)
        return rails.allLines(of: graph, folds)
    }

    @Test func threeOfAHundredSucceededInputsAreShown() {
        var (graph, ends, join) = fan(100)
        graph.succeeded = Set(ends)
        let folds = lines(graph).compactMap(\.fold)
        #expect(folds == [FoldedRows(rows: 2..<99, siblings: Rail(kind: .input, hub: join))])
    }

    @Test func siblingsOfSeveralTasksAreFoldedAsWholes() {
        var (graph, ends, join) = fan(20, links: 2)
        graph.succeeded = Set(graph.tasks).subtracting([join])
        #expect(lines(graph).compactMap(\.fold) == [FoldedRows(rows: 3..<57, siblings: Rail(kind: .input, hub: join))])
        // A fault in the middle of the rows, behind a part of its line that succeeded.
        graph.succeeded.remove(ends[9])
        #expect(lines(graph).compactMap(\.fold).map(\.rows) == [3..<27, 33..<57])
    }

    @Test func continuationsOfOneTaskAreSiblings() {
        var graph = RandomGraph()
        let gate = graph.addRoot()
        graph.succeeded = Set((0..<40).map { _ in graph.addContinuation(of: gate) })
        #expect(lines(graph).compactMap(\.fold) == [FoldedRows(rows: 3..<40, siblings: Rail(kind: .continues, hub: gate))])
    }

    @Test func unrelatedChainsAreNotFolded() {
        var graph = RandomGraph()
        for _ in 0..<100 { graph.addContinuation(of: graph.addRoot()) }
        graph.succeeded = Set(graph.tasks)
        #expect(lines(graph).compactMap(\.fold).isEmpty)
    }

    @Test(arguments: [7: 0, 8: 1] as [Int: Int]) func aFewRowsAreNotFolded(count: Int, folds: Int) {
        var (graph, ends, _) = fan(count)
        graph.succeeded = Set(ends)
        #expect(lines(graph).compactMap(\.fold).count == folds)
    }

    @Test func aKeptRowStaysBetweenTwoFolds() {
        var (graph, ends, _) = fan(100)
        graph.succeeded = Set(ends)
        var folds = RailFolds()
        folds.kept = [ends[50]]
        #expect(lines(graph, folds).compactMap(\.fold?.rows) == [2..<50, 51..<99])
        // The rows at the ends of a fold are visible anyway, so keeping them changes nothing.
        folds.kept = [ends[1], ends[99]]
        #expect(lines(graph, folds) == lines(graph))
    }

    @Test func aTasksPathIsItsAntecedentsAndFollowers() {
        var (graph, ends, _) = fan(5, links: 3)
        let fork = graph.addContinuation(of: ends[2])
        for _ in 0..<3 { graph.addContinuation(of: fork) }
        let rails = Rails(of: graph)
        let root = TaskID(rawValue: 9)
        let line = (9...12).map { TaskID(rawValue: $0) }
        #expect(rails.path(of: root, in: graph) == Set(line + [fork]))
        #expect(rails.path(of: ends[2], in: graph) == Set(line + [fork]))
    }

    @Test func unfoldedSiblingsHaveAllTheirRows() {
        var (graph, ends, join) = fan(30)
        graph.succeeded = Set(ends)
        var folds = RailFolds()
        folds.unfolded = [Rail(kind: .input, hub: join)]
        #expect(lines(graph, folds).allSatisfy { $0.fold == nil })
        folds = RailFolds()
        folds.areUnfolded = true
        #expect(lines(graph, folds).count == 31)
    }

    @Test func onlySucceededTasksAreFoldedAndLinesConnect() throws {
        try Fuzz.run("rails: folds", cases: 10) { seed, _ in
            var graph = RandomGraph(seed: seed, count: 60)
            // Some gates and joins with many siblings among other tasks.
            var random = SplitMix(state: seed)
            for _ in 0..<3 {
                let gate = graph.tasks.randomElement(using: &random)!
                for _ in 0..<Int.random(in: 5...300, using: &random) { graph.addContinuation(of: gate) }
                let roots = (0..<Int.random(in: 5...40, using: &random)).map { _ in graph.addRoot() }
                graph.addJoin(of: roots)
            }
            let unhappy = Int.random(in: 1...60, using: &random)
            graph.succeeded = Set(graph.tasks.filter { _ in Int.random(in: 0..<unhappy, using: &random) > 0 })
            var folds = RailFolds()
            folds.kept = Set((0..<4).compactMap { _ in graph.tasks.randomElement(using: &random) })
            expectFolds(graph, folds, "seed \(seed)")
        }
    }

    private func expectFolds(_ graph: RandomGraph, _ folds: RailFolds, _ comment: Comment) {
        var rails = Rails(of: graph)
        let rows = rails.rows(of: graph)
        let spans = rails.allLines(of: graph, folds)
        // Each row appears once, in order.
        #expect(spans.flatMap { Array($0.rows) } == Array(rows.indices), comment)
        for fold in spans.compactMap(\.fold) {
            for row in rows[fold.rows] {
                #expect(graph.succeeded.contains(row.task) && !folds.kept.contains(row.task), comment)
                #expect(rails.siblings(of: row.task, in: graph) == fold.siblings, comment)
            }
        }
        // The same rows appear when read from the bottom.
        var walk = FoldWalk(folds, in: rails)
        var row = rows.count - 1
        for span in spans.reversed() {
            #expect(walk.line(at: row, of: &rails, in: graph) == span, comment)
            row = span.rows.lowerBound - 1
        }
        // Every rail that leaves a line enters the next.
        let lines = rails.lines(spans, in: graph)
        #expect(lines.count == spans.count, comment)
        for (line, next) in zip(lines, lines.dropFirst()) { #expect(line.row.below == next.row.above, comment) }
        for (line, span) in zip(lines, spans) where span.fold == nil { #expect(line == .task(rows[span.rows.lowerBound]), comment) }
    }

    @Test func aChangedTaskIsNotHidden() {
        var (graph, ends, _) = fan(2000)
        graph.succeeded = Set(ends)
        var rails = Rails(of: graph)
        #expect(rails.allLines(of: graph).count == 5)
        // The cursor goes back to a moment before one of them ended.
        graph.succeeded.remove(ends[700])
        rails.update(ends[700], in: graph)
        rails.readJoins(in: graph)
        rails.settle(throughRow: .max, in: graph)
        #expect(rails.allLines(of: graph).compactMap(\.fold?.rows) == [2..<699, 703..<1999])
        // One of them gets continuations.
        let forked = [graph.addContinuation(of: ends[1200]), graph.addContinuation(of: ends[1200])]
        for task in forked { rails.update(task, in: graph) }
        rails.readJoins(in: graph)
        rails.settle(throughRow: .max, in: graph)
        #expect(rails.allLines(of: graph).filter { $0.fold == nil }.flatMap(\.rows).count { $0 >= 1199 && $0 <= 1204 } >= 3)
    }

    @Test func foldingManySiblingsAsksAboutFew() {
        let graph = WideGraph(count: 60_000)
        var rails = Rails()
        for task in 1...60_001 as ClosedRange<UInt64> { rails.update(TaskID(rawValue: task), in: graph) }
        rails.readJoins(in: graph)
        rails.settle(throughRow: .max, in: graph)
        var folds = RailFolds()
        folds.kept = [TaskID(rawValue: 30_000)]
        var looks = 0
        var most = 0
        while true {
            let before = graph.asked
            var walk = FoldWalk(folds, in: rails)
            let lines = walk.lines(from: 0, count: 40, of: &rails, in: graph)
            looks += 1
            most = max(most, graph.asked - before)
            guard walk.isExhausted else {
                #expect(lines.compactMap(\.fold).map(\.rows) == [3..<29_999, 30_000..<60_000])
                break
            }
        }
        // A bounded number of questions on each look; once all answers are known, almost none.
        #expect(most < 60_000 && looks == 3)
        let before = graph.asked
        var walk = FoldWalk(folds, in: rails)
        _ = walk.lines(from: 0, count: 40, of: &rails, in: graph)
        #expect(graph.asked - before < 3000)
    }
}

extension Rails {
    fileprivate mutating func allLines(of graph: some RailGraph, _ folds: RailFolds = RailFolds()) -> [LineSpan] {
        var walk = FoldWalk(folds, in: self)
        return walk.lines(from: 0, count: .max, of: &self, in: graph)
    }
}

/// A task with many continuations, all of which succeeded.
private final class WideGraph: RailGraph {
    private let count: UInt64
    /// The number of questions whether a task has succeeded.
    private(set) var asked = 0
    private let gate = TaskID(rawValue: 1)

    init(count: Int) {
        self.count = UInt64(count)
    }

    func hasTask(_ task: TaskID) -> Bool { task.rawValue <= count + 1 }
    func continued(by task: TaskID) -> TaskID? { task == gate ? nil : gate }
    func chain(of task: TaskID) -> TaskID { gate }
    func isJoin(_ task: TaskID) -> Bool { false }
    func forEachInput(of task: TaskID, _ body: (TaskID) -> Void) {}
    func forEachAwaited(by task: TaskID, _ body: (TaskID) -> Void) {}
    func inner(of task: TaskID) -> TaskID? { nil }
    func forEachSuccessor(of task: TaskID, _ body: (TaskID, RailKind) -> Void) {}

    func hasSucceeded(_ task: TaskID) -> Bool {
        asked += 1
        return true
    }
}
