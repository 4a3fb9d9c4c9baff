import RemoteTasks
import Testing

/// Snapshots of a process with large blocks of memory.
@Suite(.timeLimit(.minutes(3)))
struct LargeMemoryTests {
    @Test(
        "The inside of a large buffer is not read; a task in a large frame, and a large actor, are found",
        arguments: [UnpreparedProgram.Build.debug, .release, .staticStripped])
    func leavesOutBuffers(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.large.path(build))
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(Set(snapshot.tasks.map(\.name)).subtracting([""]) == Set((0..<8).map { "light-\($0)" } + ["heavy"]))
        let heavy = try #require(snapshot.tasks.first { $0.name == "heavy" })
        let children = snapshot.tasks.filter { $0.parent == heavy.address }
        #expect(children.map(\.kind) == [.asyncLet] && heavy.wait == children.first.map { .task($0.address) })
        // Each word pair of the buffers looks like the actor.
        #expect(snapshot.actors.count { $0.type.hasSuffix(".Holder") } == 1)
        #expect(snapshot.counts.skipped >= 4 * (1 << 20 - 4096), "\(snapshot.counts)")
        // The program has 262,144 pairs of an address and a negative number, which are not taken for objects.
        if build == .debug { #expect(snapshot.counts.considered < 50_000, "\(snapshot.counts)") }
    }
}
