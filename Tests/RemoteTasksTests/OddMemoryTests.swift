import Testing
import TraceTestKit

@testable import RemoteTasks

/// Snapshots of programs whose memory no sound program has.
@Suite(.timeLimit(.minutes(3)))
struct OddMemoryTests {
    private func program(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(try UnpreparedProgram.odd.path(.debug), arguments)
    }

    private func forged(_ snapshot: Snapshot) -> [RemoteTask] { snapshot.tasks.filter { $0.id >= 1_000_000 } }

    @Test("Memory that is reserved and not used costs nothing, with and without the kernel's list of pages", arguments: [true, false])
    func skipsReservedMemory(listsPages: Bool) throws {
        let program = try program("reserved")
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid, listsPages: listsPages))
        #expect(snapshot.tasks.contains { $0.name == "sound" && $0.state == .suspended })
        // The one page in use of 64 GiB.
        #expect(forged(snapshot).map(\.name) == ["sound"])
        // 14 TiB are 58,720,256 blocks.
        #expect(snapshot.counts.lookups < 10_000, "\(snapshot.counts)")
    }

    @Test("Frames that lead back to themselves are no stack")
    func endsCirclesOfFrames() throws {
        let program = try program("frames")
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(forged(snapshot).map(\.frames) == [[], []])
        #expect(snapshot.tasks.contains { $0.name == "sound" && !$0.frames.isEmpty && $0.id < 1_000_000 })
    }

    @Test("Queues that lead back to themselves are not shown, and cost a few steps each")
    func endsCirclesOfJobs() throws {
        let program = try program("queues")
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        let odd = snapshot.actors.filter { $0.type.hasSuffix(".Counter") && $0.state == .changing }
        #expect(odd.count == 2000 && odd.allSatisfy { $0.queue.isEmpty })
        #expect(snapshot.actors.contains { $0.type.hasSuffix(".Counter") && $0.state == .idle })
        #expect(snapshot.counts.queueSteps < 2000 * 64, "\(snapshot.counts)")
    }

    @Test(
        "Odd pairs of words are read many at once, and those near one another with the memory between them",
        arguments: [("pairs", 1 << 14), ("neighbours", 1 << 10)])
    func readsPairsTogether(mode: String, most: UInt64) throws {
        let program = try program(mode)
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(snapshot.tasks.contains { $0.name == "sound" })
        // The program has 1,048,576 such pairs, and each is looked at.
        #expect(snapshot.counts.considered > 1 << 20)
        #expect(snapshot.counts.reads < most, "\(snapshot.counts)")
    }

    @Test("A page that does not answer ends the look at its limit, and the next look fails at once")
    func leavesBlockedReads() throws {
        let program = try program("unanswered")
        guard program.lines != ["impossible"] else { return }
        let look = SnapshotLook(ofProcess: program.pid)
        let problem = #expect(throws: SnapshotProblem.self) { try look.snapshot(within: 2_000_000_000) }
        #expect(problem?.kind == .tookTooLong)
        let next = #expect(throws: SnapshotProblem.self) { try look.snapshot(within: 1_000_000) }
        #expect(next?.kind == .tookTooLong)
    }

    @Test("A look without time ends, and one with time does not")
    func keepsToItsLimit() throws {
        let program = try program("frames")
        let look = SnapshotLook(ofProcess: program.pid)
        let problem = #expect(throws: SnapshotProblem.self) { try look.snapshot(within: 0) }
        #expect(problem?.kind == .tookTooLong)
        #expect(try SnapshotLook(ofProcess: program.pid).snapshot(within: .max).tasks.count == 4)
    }

    @Test("A runtime's library that is mapped as data is not the runtime")
    func passesOverMappedLibraries() throws {
        let other = try program("frames")
        let library = try #require(try RemoteProcess(pid: other.pid).modules.first { $0.name.contains("swift_Concurrency") })
        let mapping = try program("own-runtime", library.path)
        let snapshot = try Snapshot(of: RemoteProcess(pid: mapping.pid))
        #expect(snapshot.tasks.contains { $0.name == "sound" && $0.state == .suspended })
    }

    @Test("All of 6,000 threads are read")
    func readsManyThreads() throws {
        let program = try program("threads", "6000")
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(snapshot.threads.count > 6000 && snapshot.counts.unreadThreads == 0)
        #expect(snapshot.threads.count { !$0.stack.isEmpty } > 6000)
    }
}
