import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceTestKit

@testable import InspectorUI

@Suite struct HopsTests {
    /// Hops from many executors to main, one from each. The last executor has the most hops, so the screen selects its cell.
    private static func trace(sources: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        for number in 1...sources {
            let source = trace.executor("source \(number)", .pool)
            for _ in 1...(number == sources ? 5 : 1) {
                let task = trace.root("task", on: main)
                trace.hop(task, from: source)
                trace.enqueue(task)
                trace.advance(microseconds: 100)
                trace.run(task, milliseconds: 1)
            }
        }
        return trace
    }

    @Test("The initially selected cell is visible, however many executors come before it", arguments: [3, 12, 40])
    func theSelectedCellIsInSight(sources: Int) {
        var session = Session(Self.trace(sources: sources), columns: 80)
        session.press(.character("6"))
        let last = "source \(sources)"
        let lines = session.canvas.lines()
        #expect(lines.contains { $0.contains("\(last) → main 5 hops") })
        #expect(lines.contains { $0.hasPrefix(" \(last) ") }, "\(lines.joined(separator: "\n"))")
    }

    @Test("Four target executors have whole columns on a narrow terminal, and a click meets the last one")
    func fourTargets() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        for name in ["disk", "Ledger", "Oven", "Basket"] {
            let target = trace.executor(name, .actor)
            for _ in 1...3 {
                let task = trace.root("task", on: target)
                trace.hop(task, from: net)
                trace.enqueue(task)
                trace.advance(microseconds: 100)
                trace.run(task, milliseconds: 1)
            }
        }
        var session = Session(trace, columns: 80, screen: HopsScreen.name)
        let heading = try #require(session.lines.first { $0.hasPrefix(" from") })
        for name in ["disk", "Ledger", "Oven", "Basket"] { #expect(heading.contains(name), "\(heading)") }
        #expect(!heading.contains("…"), "\(heading)")
        let row = try #require(session.lines.firstIndex { $0.hasPrefix(" net ") })
        session.click(75, row)
        #expect(session.lines.contains { $0.contains("net → Basket 3 hops") }, "\(session.lines)")
    }

    /// A chain that goes through the queue of `disk` again and again, where it already is.
    private static func chain(redundantHops: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        var last = trace.root("begin", on: disk)
        trace.run(last)
        for number in 1...redundantHops {
            last = trace.continuation("step \(number)", of: last, on: disk)
            trace.hop(last, from: disk)
            trace.run(last)
        }
        return trace
    }

    @Test("Redundant hops have a warning sign where the rule has a finding, and only there", arguments: [8, 9])
    func warnings(count: Int) throws {
        let session = Session(Self.chain(redundantHops: count), columns: 100, screen: HopsScreen.name)
        #expect(session.lines.contains { $0.contains("disk → disk \(count) hops, all redundant") })
        let isFound = session.model.shared.findings.groups.contains { $0.rule == "redundant-hop" }
        #expect(isFound == (count > 8))
        let row = try #require(session.lines.first { $0.hasPrefix(" disk ") })
        #expect(row.contains("⚠ \(count)") == isFound, "\(row)")
    }

    @Test("The wheel scrolls the list below the mouse, whichever has the cursor")
    func wheel() throws {
        var trace = TraceBuilder()
        let (main, pool) = (trace.executor("main", .main), trace.executor("net", .pool))
        for number in 1...40 {
            let load = trace.root("load \(number)", on: pool)
            trace.run(load, milliseconds: 1)
            let show = trace.continuation("show \(number)", of: load, on: main)
            trace.hop(show, from: pool)
            trace.run(show, milliseconds: 200)
        }
        var session = Session(trace, rows: 30, screen: HopsScreen.name)
        func hops() -> HopsScreen? { session.model.layers.screen as? HopsScreen }
        let (stalls, list) = (try #require(hops()?.stallPane.area.origin), try #require(hops()?.hopPane.area.origin))
        session.wheel(.wheelDown, at: stalls)
        #expect(hops()?.stallPane.rows.lowerBound == 3 && hops()?.hopPane.rows.lowerBound == 0)
        session.wheel(.wheelDown, at: list)
        #expect(hops()?.stallPane.rows.lowerBound == 3 && hops()?.hopPane.rows.lowerBound == 3)
    }
}
