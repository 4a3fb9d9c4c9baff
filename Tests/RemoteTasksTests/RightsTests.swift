import Testing
import TraceTestKit

@testable import RemoteTasks

/// Which sentence a refused reading gets. The systems of most rows cannot be had on one machine.
struct RightsTests {
    struct Row: Sendable {
        var isOfAnotherUser = false
        var isRoot = false
        var mayTrace = false
        var yama = 0
        let kind: SnapshotProblem.Kind
    }

    private static let rows = [
        Row(isOfAnotherUser: true, kind: .otherUser), Row(isOfAnotherUser: true, yama: 1, kind: .otherUser),
        Row(yama: 1, kind: .yamaParentOnly), Row(yama: 2, kind: .yamaClosed), Row(isRoot: true, mayTrace: true, yama: 3, kind: .yamaClosed),
        Row(isRoot: true, kind: .container), Row(isOfAnotherUser: true, isRoot: true, yama: 1, kind: .container),
        Row(isRoot: true, mayTrace: true, kind: .namespace), Row(mayTrace: true, yama: 1, kind: .namespace), Row(kind: .notDumpable),
    ]

    @Test("A refusal names the cause that holds on that system", arguments: rows)
    func namesTheCause(row: Row) {
        let rights = ReadingRights(isOfAnotherUser: row.isOfAnotherUser, isRoot: row.isRoot, mayTrace: row.mayTrace, yama: row.yama)
        #expect(rights.refusal == row.kind)
    }

    @Test("Each reason is a sentence that names the process, and no two are equal")
    func speaksInSentences() {
        let sentences = SnapshotProblem.Kind.allCases.map { SnapshotProblem($0, of: "Process 17", detail: "9").description }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasPrefix("Process 17 ") && $0.hasSuffix(".") })
    }

    @Test("A runtime that does not state its layout, as that of Swift 6.0, is refused and not called missing")
    func refusesUnstatedLayouts() throws {
        let runtime = try RuntimeCopy(.without("_swift_concurrency_debug_internal_layout_version"))
        let program = try RunningProgram(try UnpreparedProgram.shapes.path(.debug), ["1"], runtime: runtime)
        let problem = #expect(throws: SnapshotProblem.self) { try Snapshot(of: RemoteProcess(pid: program.pid)) }
        #expect(problem?.kind == .unstatedLayout)
        #expect(problem?.description.contains("does not state its task layout") == true)
    }
}
