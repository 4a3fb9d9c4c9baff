import TaskEvents
import Testing

/// A program that makes tasks of every kind and keeps books: what the probe tells is what the books say.
@Suite(.serialized)
struct StressTests {
    /// Some 27 tasks a round.
    static let rounds = 400

    @Test(arguments: [ProgramBuild.debug, .release, .linked])
    func itsTasksAreThoseThatWereMade(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("Stress"), ["\(Self.rounds)"], preloads: build.isPreloaded)
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let courses = TaskCourses(run.events)
        #expect(courses.violations.isEmpty, "\(courses.violations.prefix(5))")
        #expect(run.counts["created"] == courses.created)
        #expect(run.counts["completed"] == courses.count(.completed))
        #expect(run.counts["threw"] == courses.count(.faulted))
        #expect(run.counts["cancelled"] == courses.count(.cancelled))
        #expect(run.counts["asked"] == courses.askedToStop)
    }

    @Test
    func whereTheRuntimeIsPartOfTheProgramItsHooksTellOfEveryTask() async throws {
        let run = try await WatchedRun(ProgramBuild.staticallyLinked.program("Stress"), ["\(Self.rounds)"], preloads: false)
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let courses = TaskCourses(run.events)
        #expect(courses.violations.isEmpty, "\(courses.violations.prefix(5))")
        #expect(run.counts["created"] == courses.created - 1, "its main function is not known for it")
        #expect(run.counts["completed"] == courses.count(.completed))
        #expect(run.counts["threw"] == courses.count(.faulted))
        #expect(run.counts["cancelled"] == courses.count(.cancelled))
        #expect(run.counts["asked"] == courses.askedToStop)
        let marks = run.events.filter { $0.kind == .mark }.map { run.entries.text($0.label) }
        #expect(marks.contains { $0.contains("names given to tasks") })
    }

    @Test
    func withoutARecordingItDoesNothing() async throws {
        let run = try await WatchedRun(ProgramBuild.release.program("Stress"), ["4"], isWatched: false)
        #expect(run.status == 0)
        #expect(run.counts["created"] == 27 * 4 + 4)
        #expect(run.events.isEmpty)
    }
}
