import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// `t` in Tasks: tasks below those that made them.
@Suite struct TaskTreeTests {
    /// Two requests, the first of which made a task and that one another.
    private static func trace() -> TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.create(.root, "main")
        let first = trace.create(.unstructured, "first", of: [main])
        _ = trace.create(.unstructured, "second", of: [main])
        let child = trace.create(.asyncLet, "child", of: [first])
        _ = trace.create(.groupChild, "grandchild", of: [child])
        return trace
    }

    private static let unicode = ["main", "├─ first", "│  └─ child", "│     └─ grandchild", "└─ second"]
    private static let ascii = ["main", "|- first", "|  `- child", "|     `- grandchild", "`- second"]

    @Test(
        "A task stands below the one that made it, in the order of the list; t makes it a list again",
        arguments: [GlyphSet.unicode, .ascii])
    func tree(glyphs: GlyphSet) {
        var session = Session(Self.trace(), columns: 100, glyphs: glyphs)
        let expected = glyphs.isASCII ? Self.ascii : Self.unicode
        let list = session.model.tasks.rows.tasks
        session.press(.character("t"))
        for (line, name) in expected.enumerated() { #expect(session.lines[3 + line].contains(" \(name) ")) }
        session.press(.character("t"))
        #expect(session.model.tasks.rows.tasks == list)
        #expect(!session.lines.joined().contains("first  ") || !session.lines.joined().contains(expected[1]))
    }

    @Test("A task whose maker is filtered out stands at the left, and one with a deep line is not indented for ever")
    func edges() {
        var session = Session(Self.trace(), columns: 100)
        session.press(.character("t"), .character("/"))
        session.type("child")
        session.press(.enter)
        #expect(session.model.tasks.rows.tasks.map { session.model.tasks.tree.leads[$0] } == ["", "└─ "])
        var trace = TraceBuilder()
        var last = trace.create(.root, "link")
        for _ in 0..<100 { last = trace.create(.unstructured, "link", of: [last]) }
        let store = trace.store()
        let tree = TaskTree(store.rows.map { store[$0].id }, in: store, isASCII: false)
        #expect(tree.tasks.count == 101)
        #expect(tree.leads.values.allSatisfy { $0.count <= 36 })
    }

    @Test("Links in a circle leave out no task")
    func circle() {
        var trace = TraceBuilder()
        let (one, other) = (trace.reserveTask(), trace.reserveTask())
        trace.created(one, .continuation, "one", of: [other])
        trace.created(other, .continuation, "other", of: [one])
        let store = trace.store()
        #expect(TaskTree([one, other], in: store, isASCII: false).tasks == [one, other])
    }
}
