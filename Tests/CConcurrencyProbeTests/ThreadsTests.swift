import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Programs with many threads at once.
@Suite(.serialized)
struct ThreadsTests {
    /// `make tally` runs 4,096.
    private static let threads = ProcessInfo.processInfo.environment["HOPSCOPE_TALLY_THREADS"].flatMap { Int($0) } ?? 1000

    @Test func noRecordOfAThousandThreadsAtOnceIsLost() async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Threads"), ["\(Self.threads)"])
        #expect(run.status == 0)
        #expect(run.counts["arrived"] == Self.threads)
        #expect(run.lost == 0)
        #expect(Set(run.lanes).count >= Self.threads)
        let store = run.store
        let tasks = store.rows.map { store[$0] }.filter { $0.kind == .unstructured }
        #expect(tasks.count == Self.threads)
        #expect(tasks.allSatisfy { DisplayedState($0) == .succeeded })
        let courses = TaskCourses(run.events)
        #expect(courses.violations.isEmpty, "\(courses.violations.prefix(5))")
    }

    @Test(
        "A task made on a stack that is not the thread's own is recorded; nothing behind that stack is read",
        arguments: [ProgramBuild.debug, .release])
    func stackOfItsOwn(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("OddThreads"))
        #expect(run.status == 0 && run.counts["value"] == 7)
        let store = run.store
        #expect(store.rows.map { store[$0] }.count { $0.kind == .unstructured } == 1)
    }

    @Test("A thread that blocks with a lock for which the loading of a library waits goes on", .timeLimit(.minutes(2)))
    func lockOfALibrary() async throws {
        let library = try BuiltProbe.folder.program("libwaiting.so") { path in
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/WaitingLibrary.c")
            return ["clang", "-O2", "-fPIC", "-shared", "-o", path, source.path]
        }
        let run = try await WatchedRun(ProgramBuild.debug.program("OddThreads"), [library])
        #expect(run.status == 0 && run.counts["value"] == 7)
        #expect(run.events.contains { $0.kind == .waitBegan })
    }

    @Test("A forked child drops the errors that it got, whatever its parent's threads did with theirs", .timeLimit(.minutes(2)))
    func forkedChild() async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("ForkedErrors"))
        #expect(run.status == 0 && run.counts["value"] == 100)
    }
}
