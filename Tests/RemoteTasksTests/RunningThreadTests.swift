import RemoteTasks
import TaskEvents
import Testing
import TraceStore
import TraceTestKit

/// Threads that run have no stack in memory that could be read: the kernel samples them.
@Suite(.timeLimit(.minutes(5)))
struct RunningThreadTests {
    @Test(
        "A task that computes has the calls of a sample", .enabled(if: RemoteThread.canBeSampled, "the kernel refuses samples"),
        arguments: [UnpreparedProgram.Build.debug, .release])
    func computes(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.computing.path(build))
        let site = try UnpreparedProgram.computing.site(of: "// the loop")
        var calls: [CodeSymbol] = []
        // The task's thread may not run yet, and a sample may fall into the other function, which keeps no frame in release.
        let isSeen = eventuallyBlocking {
            guard let snapshot = try? Snapshot(of: RemoteProcess(pid: program.pid)),
                let task = snapshot.tasks.first(where: { $0.state == .running })
            else { return false }
            let symbols = SnapshotSymbols(of: snapshot)
            calls = symbols.calls(at: symbols.stack(of: task))
            return calls.contains { $0.name == "computes()" && (build != .debug || $0.site == site) }
        }
        #expect(isSeen, "\(calls)")
    }

    @Test("A process without a thread that runs is not sampled")
    func waits() throws {
        let program = try RunningProgram(try UnpreparedProgram.stale.path(.debug))
        let process = try RemoteProcess(pid: program.pid)
        let isStill = eventuallyBlocking {
            guard let snapshot = try? Snapshot(of: process) else { return false }
            return snapshot.threads.allSatisfy { $0.state == "S" && $0.sampled.isEmpty && !$0.stack.isEmpty }
        }
        #expect(isStill)
    }
}
