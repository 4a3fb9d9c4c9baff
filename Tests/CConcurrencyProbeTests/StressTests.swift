import Foundation
import TaskEvents
import Testing

/// A program that creates tasks of every kind and counts them. The trace agrees with the program's counts.
///
/// `make tally` runs it with a hundred thousand tasks, ten times for each way to load the probe, and prints the differences.
@Suite(.serialized)
struct StressTests {
    /// A round creates about 27 tasks.
    static let rounds = number("ROUNDS") ?? 400
    static let runs = 1...(number("RUNS") ?? 1)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["HOPSCOPE_TALLY_\(name)"].flatMap { Int($0) }
    }

    @Test(arguments: [ProgramBuild.debug, .release, .linkedDebug, .linked], runs)
    func theTraceHasTheTasksThatTheProgramCreated(_ build: ProgramBuild, run: Int) async throws {
        try await expectItsBooksToAgree(build, run, unknown: 0)
    }

    @Test(arguments: runs)
    func withAStaticRuntimeTheHooksReportEveryTask(run: Int) async throws {
        // The probe cannot recognise the main function of such a program.
        let watched = try await expectItsBooksToAgree(.staticallyLinked, run, unknown: 1)
        let marks = watched.events.filter { $0.kind == .mark }.map { watched.entries.text($0.label) }
        #expect(marks.contains { $0.contains("names given to tasks") })
    }

    @Test
    func withoutARecordingTheProbeDoesNothing() async throws {
        let run = try await WatchedRun(ProgramBuild.release.program("Stress"), ["4"], isWatched: false)
        #expect(run.status == 0)
        #expect(run.counts["created"] == 27 * 4 + 4)
        #expect(run.events.isEmpty)
    }

    /// `hopscope run` preloads the probe, also into a program that has a probe of its own. One of the two records each task once.
    @Test(arguments: [ProgramBuild.linked, .linkedAndExported, .staticallyLinked])
    func underAPreloadedProbeALinkedOneIsNoSecondOne(_ build: ProgramBuild) async throws {
        let run = try await expectItsBooksToAgree(build, 1, preloads: true, unknown: build == .staticallyLinked ? 1 : 0)
        // The linked probe records no blocks.
        if build != .staticallyLinked { #expect(run.entries.swiftRoutes == .offered.subtracting(.blocks)) }
    }

    /// `unknown` are tasks in the trace that the program did not count.
    @discardableResult
    private func expectItsBooksToAgree(
        _ build: ProgramBuild, _ run: Int, preloads: Bool = false, unknown: Int
    ) async throws -> WatchedRun {
        let watched = try await WatchedRun(build.program("Stress"), ["\(Self.rounds)"], preloads: preloads || build.isPreloaded)
        // The program counts its tasks, not the blocks that it gives to Dispatch.
        let courses = TaskCourses(watched.events.filter { !$0.task.isBlock })
        #expect(watched.status == 0)
        #expect(watched.lost == 0)
        #expect(courses.violations.isEmpty, "\(courses.violations.prefix(5))")
        let reported = [
            "created": courses.created - unknown, "completed": courses.count(.completed), "threw": courses.count(.faulted),
            "cancelled": courses.count(.cancelled), "asked": courses.askedToStop,
        ]
        // Without the route, the trace has no cancellation of a task's children, and says so.
        let seesCancellation = watched.entries.swiftRoutes.contains(.cancellation)
        if build != .staticallyLinked { #expect(seesCancellation == TraceRoutes.offered.contains(.cancellation)) }
        for (name, count) in watched.counts where name != "asked" || seesCancellation { #expect(reported[name] == count, "\(name)") }
        #expect(Set(reported.keys) == Set(watched.counts.keys))
        #expect(courses.askedToStop <= watched.counts["asked"] ?? 0)
        if Self.runs.count > 1 {
            let figures = reported.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } + ["violations \(courses.violations.count)"]
            print("\(build) \(run): events \(watched.events.count), lost \(watched.lost), \(figures.joined(separator: ", "))")
        }
        return watched
    }
}
