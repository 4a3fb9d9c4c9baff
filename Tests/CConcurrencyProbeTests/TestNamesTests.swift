import TaskEvents
import Testing
import TraceStore

/// Tasks that XCTest makes for its asynchronous tests.
@Suite struct TestNamesTests {
    @Test("A task that XCTest makes for a test has the test's name, and no other task has it", arguments: [ProgramBuild.debug, .release])
    func tests(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("XCTests")).symbolized
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let store = run.store
        let tasks = store.rows.map { store[$0] }
        let tests = ["Naming.testA", "Naming.testWithALongerName", "Other.testÄ"]
        // The task that runs the test and those of `setUp` and `tearDown`, in the order of the tests.
        let made = tasks.filter { $0.structuredParent == nil && tests.contains($0.label.name) }
        #expect(Set(made.map(\.label.name)) == Set(tests))
        #expect(made.map(\.label.name) == made.map(\.label.name).sorted())
        let others = tasks.filter { !tests.contains($0.label.name) }.map(\.label.name)
        #expect(others.count == 2, "\(others)")
        #expect(others.contains("named"))
        #expect(others.contains { $0.hasSuffix("testWithALongerName()") }, "\(others)")
    }
}
