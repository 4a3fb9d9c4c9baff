import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

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
}
