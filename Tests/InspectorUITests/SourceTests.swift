import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// The lines of source under the places.
@Suite struct SourceTests {
    struct Files: SourceReader {
        var texts: [String: SourceText]

        func read(_ file: SourceFile) -> SourceText { texts[file.path] ?? .missing }
        func edit(_ file: SourceFile, at line: Int) -> String? { nil }
    }

    private static let text = [
        "func confirm() async {", "    print(1)", "\tawait withUnsafeContinuation { mailer.confirm($0) }", "    print(2)", "}",
    ]

    /// A task that waits for a continuation at line 3, and one that failed there.
    private static func session(
        columns: Int = 80, rows: Int = 24, line: UInt32 = 3, isChanged: Bool = false, isMissing: Bool = false
    ) -> Session {
        var trace = TraceBuilder()
        let code = trace.code("confirm()", file: "App.swift", line: line, path: "/src/App.swift")
        let task = trace.create(.unstructured, "request 7")
        trace.start(task)
        trace.suspend(task, .continuation, in: code)
        let failed = trace.create(.unstructured, "charge")
        trace.start(failed)
        trace.fault(failed, error: trace.error(type: "Declined", thrownBy: code))
        var session = Session(trace, columns: columns, rows: rows)
        let text = SourceText.lines(text, isChanged: isChanged)
        session.read(from: Files(texts: isMissing ? [:] : ["/src/App.swift": text]))
        session.select(task)
        return session
    }

    @Test("w has the line below each link, and the lines around it where there is room", arguments: [80, 160])
    func wait(columns: Int) {
        var session = Self.session(columns: columns)
        session.press(.character("w"))
        let lines = session.lines
        #expect(lines.contains { $0.contains("3 │ ") && $0.contains("await withUnsafeContinuation { mailer.confirm($0) }") }, "\(lines)")
        #expect(lines.contains { $0.contains("2 │     print(1)") }, "\(lines)")
        #expect(lines.contains { $0.contains("App.swift:3  v opens it") }, "\(lines)")
    }

    @Test("The detail and Faults have the line")
    func detailAndFaults() {
        var session = Self.session()
        session.press(.enter)
        #expect(session.lines.contains { $0.contains("3 │ ") && $0.contains("await with") }, "\(session.lines)")
        session.press(.escape, .character("5"))
        #expect(session.lines.contains { $0.contains("▸3 │ ") && $0.contains("await withUnsafeContinuation") }, "\(session.lines)")
        #expect(session.lines.count { $0.contains("await withUnsafeContinuation") } == 1, "\(session.lines)")
    }

    @Test("The panel of a finding has the source in the room that it leaves")
    func finding() {
        var trace = TraceBuilder()
        let code = trace.code("confirm()", file: "App.swift", line: 3, path: "/src/App.swift")
        let task = trace.create(.unstructured, "report")
        trace.emit(TaskEvent(.suspended, task: task, label: code, detail: SuspensionReason.continuation.rawValue))
        trace.fault(task, error: trace.error(type: "Declined", thrownBy: code))
        trace.release(task)
        var session = Session(trace, columns: 120, rows: 36, screen: WarningsScreen.name)
        session.read(from: Files(texts: ["/src/App.swift": .lines(Self.text, isChanged: false)]))
        session.send(.ended)
        session.frame()
        #expect(session.lines.contains { $0.contains("✗ error    unobserved-fault") }, "\(session.lines)")
        #expect(session.lines.contains { $0.contains("▸3 │ ") && $0.contains("await withUnsafeContinuation") }, "\(session.lines)")
    }

    @Test("Beside an error's path, the source stands below the list, whole and with its file")
    func besidePath() throws {
        var session = Self.session(columns: 160, rows: 36)
        session.press(.character("5"))
        let title = try #require(session.lines.firstIndex { $0.hasPrefix(" App.swift:3  v opens it") }, "\(session.lines)")
        #expect(session.lines[title + 3].hasPrefix(" ▸3 │ "), "\(session.lines)")
        #expect(session.lines.count { $0.contains("await withUnsafeContinuation") } == 1, "\(session.lines)")
    }

    @Test("Beside the source of an error, a wide terminal has the lines where the step's task was made")
    func makerBesidePath() throws {
        var trace = TraceBuilder()
        let code = trace.code("confirm()", file: "App.swift", line: 3, path: "/src/App.swift")
        let failed = trace.create(.unstructured, "charge", file: "App/App.swift", line: 1)
        trace.start(failed)
        trace.fault(failed, error: trace.error(type: "Declined", thrownBy: code))
        var session = Session(trace, columns: 160, rows: 36, screen: FaultsScreen.name)
        session.read(from: Files(texts: ["/src/App.swift": .lines(Self.text, isChanged: false)]))
        let title = try #require(session.lines.firstIndex { $0.contains("│ App.swift:1  made the task of step 1") }, "\(session.lines)")
        #expect(session.lines[title + 1].contains(" ▸1 │ func confirm() async {"), "\(session.lines)")
        #expect(session.lines.contains { $0.hasPrefix(" ▸3 │ ") }, "\(session.lines)")
    }

    @Test("Profile has the source of the selected place below the list")
    func place() throws {
        var trace = TraceBuilder()
        _ = trace.code("confirm()", file: "App.swift", line: 3, path: "/src/App.swift")
        let task = trace.create(.unstructured, "charge", file: "App/App.swift", line: 3)
        trace.run(task, milliseconds: 1)
        var session = Session(trace, columns: 80, rows: 24, screen: ProfileScreen.name)
        session.read(from: Files(texts: ["/src/App.swift": .lines(Self.text, isChanged: false)]))
        let title = try #require(session.lines.firstIndex { $0.hasPrefix(" App.swift:3  v opens it") }, "\(session.lines)")
        #expect(session.lines[title + 3].hasPrefix(" ▸3 │ "), "\(session.lines)")
    }

    @Test("Overview shows the source of the longest jobs of one place once")
    func oncePerPlace() {
        var trace = TraceBuilder()
        _ = trace.code("confirm()", file: "App.swift", line: 3, path: "/src/App.swift")
        for name in ["disk", "net"] {
            let task = trace.create(.root, "save", on: trace.executor(name, .queue), file: "App/App.swift", line: 3)
            trace.run(task, after: 20, milliseconds: 5)
        }
        var session = Session(trace, columns: 160, rows: 50, screen: OverviewScreen.name)
        session.read(from: Files(texts: ["/src/App.swift": .lines(Self.text, isChanged: false)]))
        #expect(session.lines.count { $0.contains(" longest 5.0 ms save") } == 2, "\(session.lines)")
        #expect(session.lines.count { $0.contains("await withUnsafeContinuation") } == 1, "\(session.lines)")
    }

    @Test("A file that is not here or has changed is told, and the place stays")
    func missing() {
        var session = Self.session(isMissing: true)
        session.press(.character("5"))
        #expect(session.lines.contains { $0.contains("App.swift is not on this machine.") }, "\(session.lines)")
        #expect(session.lines.contains { $0.contains("thrown in App.swift:3") })
        session = Self.session(isChanged: true)
        session.press(.character("5"))
        #expect(session.lines.contains { $0.contains("App.swift has changed since the program was built.") }, "\(session.lines)")
    }

    @Test("v opens the line in the editor, of the task, of the link and of the error")
    func edit() {
        var session = Self.session()
        let effect = Effect.edit(SourceFile(path: "/src/App.swift", module: "/App"), line: 3)
        session.press(.character("v"))
        #expect(session.effects == [effect])
        session.press(.character("w"), .character("v"))
        #expect(session.effects == [effect])
        session.press(.escape, .character("5"), .character("v"))
        #expect(session.effects == [effect])
        session = Session(SampleTraces.kinesis)
        session.press(.home, .character("v"))
        #expect(session.effects.isEmpty && session.lines[23].contains("is not known"), "\(session.lines[23])")
    }

    @Test("Two files of one name are not mixed up: neither is shown")
    func ambiguous() {
        var trace = TraceBuilder()
        for path in ["/one/App.swift", "/other/App.swift"] { _ = trace.code("f()", file: "App.swift", path: path) }
        #expect(trace.entries.sourceFile(named: "App.swift") == nil)
        _ = trace.code("g()", file: "Own.swift", path: "/one/Own.swift")
        _ = trace.code("h()", file: "Own.swift", path: "/one/Own.swift")
        #expect(trace.entries.sourceFile(named: "Own.swift")?.path == "/one/Own.swift")
    }

    @Test("A file that has become shorter than the line is told as changed", arguments: [6, 7, 12, UInt32.max])
    func shorter(line: UInt32) {
        var session = Self.session(columns: 160, line: line, isChanged: true)
        for key in [Key.character("w"), .character("5")] {
            session.press(.escape, key)
            #expect(session.lines.contains { $0.contains("App.swift has changed since the program was built.") }, "\(session.lines)")
        }
    }
}
