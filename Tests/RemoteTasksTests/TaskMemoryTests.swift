import RemoteTasks
import Testing
import TraceTestKit

/// The memory of tasks against the C library's own count of allocated bytes.
@Suite(.timeLimit(.minutes(5)))
struct TaskMemoryTests {
    private struct Growth {
        let name: String
        let bytes: Double

        init?(line: String) {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "memory", let bytes = Double(words[2]) else { return nil }
            (name, self.bytes) = (String(words[1]), bytes)
        }
    }

    @Test("The tasks' memory is what the program's allocations grew by", arguments: UnpreparedProgram.Build.allCases)
    func isWhatWasAllocated(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.frames.path(build))
        var snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        // The last tasks may not have suspended yet, and a running task is not measured.
        while snapshot.tasks.contains(where: { $0.state == .running || $0.state == .changing }) {
            snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        }
        let growths = program.lines.compactMap { Growth(line: $0) }
        #expect(growths.map(\.name) == ["small", "medium", "large", "deep", "children"])
        for growth in growths {
            let tasks = snapshot.tasks.filter { $0.name == growth.name }
            // The size of an `async let` task leaves out what lies inside its parent's memory.
            let parents = Set(tasks.map(\.address))
            let children = snapshot.tasks.filter { parents.contains($0.parent) }
            let sizes = (tasks + children).compactMap(\.memory)
            #expect(tasks.count == 500 && sizes.count == tasks.count + children.count)
            let share = Double(sizes.reduce(0, +)) / growth.bytes
            // The rest is the closures, the results, the names, and the C library's own words: 400 bytes a task here.
            #expect((0.7...1).contains(share), "\(growth.name): \(share) of \(growth.bytes)")
        }
    }
}
