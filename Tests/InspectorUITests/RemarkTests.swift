import Foundation
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

@testable import InspectorUI

/// The recordings of `Assets/traces`. This test has no symbolizer, and the recorded programs are gone: all names come from the files.
@Suite struct RemarkTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Assets/traces")

    /// What a recording shows at its remark number `remark`, counted from 1.
    struct Lesson: CustomTestStringConvertible {
        var name: String
        var rule: String?
        var remark = 2
        /// What is pressed there, and what the screen then shows.
        var keys: String
        var shown: [String]

        var testDescription: String { name }
    }

    static let lessons = [
        Lesson(
            name: "error-unread", rule: "unobserved-fault", keys: "5", shown: ["CardDeclined  ⚠ unobserved", "thrown in Orders.swift:8"]),
        Lesson(name: "main-late", rule: "main-stall", keys: "4", shown: ["compact() Screen.swift:14  on main", "ran 3"]),
        Lesson(name: "hot-actor", rule: "actor-contention", keys: "3", shown: ["Inventory"]),
        Lesson(name: "request-hangs", keys: "1w", shown: ["Why `order 7` waits", "Shop.swift:6"]),
        Lesson(name: "test-hangs", keys: "1w", shown: ["refusesPagesThatDoNotExist() - running", "Loader.swift:19"]),
        Lesson(name: "fails-once", remark: 3, keys: "1w", shown: ["awaits a continuation that nothing has resumed", "Inbox.swift:6"]),
    ]

    @Test("Every recording is small, has a lesson here, and keeps the names of all places in code")
    func files() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.filter { $0.hasSuffix(".hop") }.sorted() == Self.lessons.map { "\($0.name).hop" }.sorted())
        for lesson in Self.lessons {
            let reader = try reader(lesson)
            #expect(reader.isComplete && reader.damage.isEmpty)
            #expect(reader.entries.unknownAddresses().isEmpty)
            #expect(try Data(contentsOf: URL(fileURLWithPath: reader.path)).count < 64 << 10)
        }
    }

    private func reader(_ lesson: Lesson) throws -> TraceFileReader {
        try TraceFileReader(path: Self.folder.appendingPathComponent("\(lesson.name).hop").path)
    }

    @Test("A recording opens with the way through its remarks, and one of them leads to the problem and its line", arguments: lessons)
    func remarks(lesson: Lesson) throws {
        let source = try String(contentsOf: Self.folder.appendingPathComponent("\(lesson.name).remarks"), encoding: .utf8)
        let texts = source.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.firstRange(of: ": ").map { String(line[$0.upperBound...]) }
        }
        let history = TraceHistory(try reader(lesson))
        history.loadAll()
        var session = Session(history, columns: 110, rows: 30, screen: OverviewScreen.name)
        for remark in history.remarks { session.send(.scene(history.latest.entries.text(remark.label), at: remark.time)) }
        session.send(.ended)
        session.press(OverviewScreen.name.key)
        #expect(session.text.contains("\(texts.count) remarks lead through this recording"), "\(session.text)")
        if let rule = lesson.rule {
            let list = WarningEngine(settings: WarningSettings()).list(in: history.latest, isOver: true)
            let finding = try #require(list.groups.first { $0.rule == rule }).first
            #expect(list.site(of: finding, in: history.latest)?.contains(".swift:") == true)
        } else {
            #expect(!session.text.contains("✓ No rule found"), "\(session.text)")
        }
        for (index, text) in texts.enumerated() {
            session.press(.character("'"))
            #expect(session.model.shared.scene == text)
            guard index + 1 == lesson.remark else { continue }
            var there = session
            for key in lesson.keys { there.press(.character(key)) }
            for shown in lesson.shown { #expect(there.text.contains(shown), "\(there.text)") }
        }
        session.press(.character("'"))
        #expect(session.text.contains("There is no remark after this one."), "\(session.text)")
        session.press(.character("\""))
        #expect(session.model.shared.scene == texts[texts.count - 2])
    }
}

extension Session {
    fileprivate var text: String { canvas.lines().joined(separator: "\n") }
}
