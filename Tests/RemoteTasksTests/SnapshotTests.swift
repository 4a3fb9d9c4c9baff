import CodeSymbols
import RemoteTasks
import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

/// A task in a program's own ledger, or in a snapshot: what both know of it. A task without a name has `-`.
private struct LedgerTask: Hashable, CustomStringConvertible {
    var kind: String
    var state: String
    var wait: String
    var name: String

    var description: String { "\(name) \(kind) \(state) \(wait)" }

    /// A line that the program printed: `task KIND STATE WAIT NAME`.
    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, words[0] == "task" else { return nil }
        (kind, state, wait, name) = (words[1], words[2], words[3], words[4])
    }

    init(_ task: RemoteTask, in snapshot: Snapshot, _ symbols: SnapshotSymbols) {
        kind =
            switch task.kind {
            case .unstructured: "unstructured"
            case .asyncLet: "async-let"
            case .groupChild: "group-child"
            }
        state = task.state.rawValue
        wait = SnapshotWait(of: task, in: snapshot, symbols)?.kind.rawValue ?? "-"
        name = task.name.isEmpty ? "-" : task.name
    }
}

extension [LedgerTask] {
    fileprivate var counted: [LedgerTask: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

@Suite(.timeLimit(.minutes(5)))
struct SnapshotTests {
    private static let runs = Stress.snapshots(everyDay: 10)

    @Test(
        "Every task of the program's ledger is found with its kind, state, name and wait, and no other",
        arguments: UnpreparedProgram.Build.allCases)
    func findsTheLedger(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.shapes.path(build), ["2"])
        let ledger = program.lines.compactMap { LedgerTask(line: $0) }
        #expect(ledger.count == 1 + 2 * 23 + 4)
        let names = Symbolizer().frames(of: Set(try Snapshot(of: RemoteProcess(pid: program.pid)).codeAddresses.values))
        for _ in 0..<Self.runs {
            let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
            let symbols = SnapshotSymbols(of: snapshot, symbols: names)
            var tasks = snapshot.tasks
            // Without symbols, the runtime's own tasks cannot be told from the program's.
            if build == .staticStripped { tasks.removeAll { $0.state == .pending } }
            let found = tasks.map { LedgerTask($0, in: snapshot, symbols) }
            let expected = build == .staticStripped ? ledger.map { $0.withoutTimer } : ledger
            #expect(found.counted == expected.counted, "\(difference(found, expected))")
        }
    }

    private func difference(_ found: [LedgerTask], _ expected: [LedgerTask]) -> String {
        let missed = expected.counted.filter { found.counted[$0.key, default: 0] < $0.value }.keys
        let surplus = found.counted.filter { expected.counted[$0.key, default: 0] < $0.value }.keys
        return "missed: \(missed), surplus: \(surplus)"
    }

    @Test(
        "Parents, awaited tasks, stacks, the actor's queue in order and the blocked thread are those of the program",
        arguments: [
            UnpreparedProgram.Build.debug, .release, .staticRuntime,
        ])
    func findsHowTheyHangTogether(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.shapes.path(build))
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        let symbols = SnapshotSymbols(of: snapshot)
        func task(_ name: String) throws -> RemoteTask { try snapshot.task(named: name) }

        // Two children, of whom each has two.
        let tree = try task("tree-0")
        let children = snapshot.tasks.filter { $0.parent == tree.address }
        #expect(children.count == 2 && children.allSatisfy { $0.kind == .asyncLet })
        #expect(children.map { child in snapshot.tasks.count { $0.parent == child.address } } == [2, 2])
        #expect(tree.wait.map { wait in children.contains { wait == .task($0.address) } } == true)
        #expect(tree.basePriority == 17)

        let group = try task("group-0")
        #expect(snapshot.tasks.filter { $0.parent == group.address }.map(\.name) == (0..<4).map { "member-0-\($0)" })
        #expect(try task("waiter-0").wait == .task(try task("awaited-0").address))
        #expect(try task("cancelled-0").isCancelled)

        #expect(try !task("lost-0").isCancelled)

        let call = try #require(symbols.call(of: try task("lost-0")))
        // In a release build the function is a part of its caller.
        #expect(try call.site == UnpreparedProgram.shapes.site(of: "lost.append(continuation)"))
        let consuming = try UnpreparedProgram.shapes.site(of: "for await n in stream")
        let calls = symbols.calls(at: try task("consumer-0").frames)
        #expect(calls.contains { $0.function.contains("consume") && $0.site == consuming }, "\(calls)")

        let blocker = try task("blocker")
        let actor = try #require(snapshot.actors.first { $0.type.hasSuffix(".Ledger") })
        #expect(actor.state == .running && actor.running == blocker.address)
        #expect(actor.queue.compactMap { snapshot.task(at: $0)?.name } == ["caller-0", "caller-1", "caller-2"])
        let wait = try #require(SnapshotWait(of: try task("caller-1"), in: snapshot, symbols))
        #expect(wait.position == 2 && wait.executor == actor.type && wait.task?.name == "blocker")
        #expect(snapshot.actors.contains { $0.type.hasSuffix(".Quiet") && $0.state == .idle })
        #expect(snapshot.actors.contains { $0.type.hasSuffix(".Box") && $0.state == .idle })

        let thread = try #require(snapshot.thread(running: blocker.address))
        #expect(thread.actor == actor.address)
        let stack = symbols.calls(at: thread.stack + thread.frames)
        let hold = try #require(stack.first { $0.function.contains("hold") }, "\(stack)")
        #expect(try hold.site == UnpreparedProgram.shapes.site(of: "gate.wait()"))
        #expect(symbols.blockingCall(of: thread)?.function.contains("semaphore") == true, "\(stack)")
    }

    @Test(
        "While four threads churn tasks, those that stay are in each snapshot, and nothing is that the program did not make",
        arguments: [
            UnpreparedProgram.Build.debug, .release,
        ])
    func isNotFooledByChurn(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.churn.path(build))
        let process = try RemoteProcess(pid: program.pid)
        let stay = Set((0..<1000).map { "stay-\($0)" })
        let churn = Set((0..<4).map { "churn-\($0)" })
        for _ in 0..<Self.runs {
            let snapshot = try Snapshot(of: process)
            let names = snapshot.tasks.map(\.name)
            #expect(names.count { stay.contains($0) } == 1000 && Set(names).isSuperset(of: stay))
            // The name of a task is not there while the task is made, which takes long for a thread that loses its processor then.
            let changing = snapshot.tasks.count { $0.name.isEmpty && ($0.state == .changing || $0.isNamed) }
            #expect((4 - changing...4).contains(names.count { churn.contains($0) }))
            // Beside them main, which has no name, and for each loop the two of an async let, one that is awaited, or a group's four.
            let others = snapshot.tasks.filter { !stay.contains($0.name) && !churn.contains($0.name) && $0.state != .changing }
            #expect(others.allSatisfy { ["", "short", "member"].contains($0.name) })
            let unnamed = others.filter { $0.kind == .unstructured && $0.name.isEmpty && !$0.isNamed }
            #expect(unnamed.count == 1, "\(unnamed)")
            #expect(others.allSatisfy { $0.kind == .unstructured || $0.parent != 0 })
            // A thread that loses its processor while its task changes leaves the calls of one task unreadable.
            let unread = snapshot.tasks.filter { $0.state == .suspended && $0.frames.isEmpty }
            #expect(unread.count <= 1 && unread.allSatisfy { !stay.contains($0.name) }, "\(unread)")
        }
    }
}

extension Snapshot {
    struct NoSuchTask: Error {
        let name: String
    }

    fileprivate func task(named name: String) throws -> RemoteTask {
        guard let task = tasks.first(where: { $0.name == name }) else { throw NoSuchTask(name: name) }
        return task
    }
}

extension LedgerTask {
    /// Without the names of functions a sleep is one of many waits for a continuation.
    fileprivate var withoutTimer: LedgerTask {
        var task = self
        if wait == "timer" { task.wait = "continuation" }
        return task
    }
}
