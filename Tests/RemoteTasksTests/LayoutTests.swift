import Testing
import TraceTestKit

@testable import RemoteTasks

/// Snapshots of programs whose runtime is a changed copy of the toolchain's. Each shows the tree of the unchanged one, or less.
@Suite(.serialized, .timeLimit(.minutes(Stress.minutesOfMutations)))
struct LayoutTests {
    private static let version = "_swift_concurrency_debug_internal_layout_version"
    private static let size = "_swift_concurrency_debug_asyncTaskSize"

    /// A running program, with a runtime that has these changes.
    private static func snapshot(_ changes: [RuntimeChange], _ program: UnpreparedProgram = .shapes) throws -> Snapshot {
        let runtime = changes.isEmpty ? nil : try RuntimeCopy(changes)
        let program = try RunningProgram(try program.path(.debug), ["1"], runtime: runtime)
        return try Snapshot(of: RemoteProcess(pid: program.pid))
    }

    /// Changes after which everything is known.
    private static var harmless: [[RuntimeChange]] {
        let stated: [[RuntimeChange]] = [
            [.variable(version, 2)], [.variable(version, 0x0100_0001)], [.variable(version, 0x0100_0003), .variable(size, 224)],
            [.variable(size, 216)], [.variable(size, 224)], [.without(size)], [.stripped],
        ]
        return RuntimeCopy.changesCode
            ? stated + [[.childFragment(size: 32)], [.childFragment(size: 32), .variable(size, 192)], [.noBackPointer]] : stated
    }

    @Test("The wait for a program that hangs ends with its deadline, and for one that ends with its end")
    func neverReady() throws {
        let (hung, ended) = (
            Result { try RunningProgram("/bin/sh", ["-c", "echo begun; exec sleep 1000"], deadline: 1) },
            Result { try RunningProgram("/bin/sh", ["-c", "echo begun"]) }
        )
        guard case .failure(RunningProgram.NotReady.hung(let output)) = hung else {
            Issue.record("\(hung)")
            return
        }
        guard case .failure(RunningProgram.NotReady.ended("begun\n")) = ended else {
            Issue.record("\(ended)")
            return
        }
        #expect(output == "" || output == "begun\n")
    }

    @Test("With another version, another size or a moved group the tree is that of the program", arguments: harmless)
    func sameTree(changes: [RuntimeChange]) throws {
        let usual = TreeOfNames(try Self.snapshot([]))
        let changed = TreeOfNames(try Self.snapshot(changes))
        #expect(changed.lines == usual.lines)
    }

    @Test("With a real runtime of another version the tree is that of the program", arguments: OtherRuntime.all)
    func realRuntime(_ other: OtherRuntime) throws {
        let runtime = try RuntimeCopy([], of: other)
        // The reader opens the runtime's file, which is deleted with the copy.
        try withExtendedLifetime(runtime) {
            let running = try RunningProgram(try UnpreparedProgram.shapes.path(.debug), ["1"], runtime: runtime)
            let snapshot = try Snapshot(of: RemoteProcess(pid: running.pid))
            // Swift 6.1 gives tasks no names.
            let hasNames = other.version >= "6.2"
            #expect(snapshot.tasks.contains { !$0.name.isEmpty } == hasNames)
            #expect(TreeOfNames(snapshot, hasNames: hasNames).lines == TreeOfNames(try Self.snapshot([]), hasNames: hasNames).lines)
            #expect(snapshot.layout.knowsParents && snapshot.layout.knowsGroups)
            print("\(other): a snapshot has all \(snapshot.tasks.count) tasks")
        }
    }

    @Test(
        "Kinds of dependencies with other numbers leave the tasks, and say nothing false of their waits",
        .enabled(if: RuntimeCopy.changesCode))
    func otherKinds() throws {
        let usual = try Self.snapshot([])
        let waits = Dictionary(usual.tasks.map { ($0.name, $0.wait.map(Self.kind)) }) { first, _ in first }
        for change in [RuntimeChange.dependencyKind(2, as: 4), .dependencyKind(3, as: 2), .dependencyKind(1, as: 3)] {
            let changed = try Self.snapshot([change])
            #expect(changed.tasks.count == usual.tasks.count)
            #expect(changed.tasks.allSatisfy { $0.state != .changing }, "\(change)")
            let told = changed.tasks.filter { $0.wait != nil && !$0.name.isEmpty }
            #expect(told.allSatisfy { waits[$0.name] == $0.wait.map(Self.kind) }, "\(change)")
        }
    }

    @Test("With a random runtime a snapshot's facts are right, or unknown, or it is refused")
    func randomRuntimes() throws {
        let usual = try Self.facts(try Self.snapshot([]))
        let program = try UnpreparedProgram.shapes.path(.debug)
        var (known, refused, broken, hung) = (0, 0, 0, 0)
        let first = Stress.firstMutation
        for seed in first..<first + Stress.mutations(everyDay: 1) {
            let random = RandomRuntime(seed: seed)
            let runtime = try random.copy()
            try withExtendedLifetime(runtime) {
                // Some programs cannot be loaded with such a runtime, and some never come to the line `ready`.
                let running: RunningProgram
                do {
                    running = try RunningProgram(program, ["1"], runtime: runtime, deadline: 20)
                } catch RunningProgram.NotReady.ended {
                    broken += 1
                    return
                } catch RunningProgram.NotReady.hung {
                    hung += 1
                    return
                }
                guard let snapshot = try? Snapshot(of: RemoteProcess(pid: running.pid)) else {
                    refused += 1
                    return
                }
                for (name, fact) in try Self.facts(snapshot) {
                    let truth = try #require(usual[name], "seed \(seed), \(random): \(name)")
                    let isRight =
                        fact.kind == truth.kind && (fact.state == truth.state || fact.state == .changing)
                        && (fact.wait == nil || fact.wait == truth.wait) && (fact.parent == nil || fact.parent == truth.parent)
                    #expect(isRight, "seed \(seed), \(random): \(name) is \(truth), the snapshot says \(fact)")
                    known += fact.wait == truth.wait && fact.parent == truth.parent ? 1 : 0
                }
            }
        }
        print(
            "mutations: snapshots have \(known) tasks with all facts; \(refused) are refused; with \(broken) runtimes the program ends, "
                + "with \(hung) it hangs")
    }

    private struct Facts {
        let kind: RemoteTask.Kind
        let state: RemoteTask.State
        let wait, parent: String?
    }

    /// The facts of the named tasks. Each has a name of its own.
    private static func facts(_ snapshot: Snapshot) throws -> [String: Facts] {
        var facts: [String: Facts] = [:]
        for task in snapshot.tasks where !task.name.isEmpty {
            let parent = snapshot.task(at: task.parent)?.name
            let added = Facts(kind: task.kind, state: task.state, wait: task.wait.map(kind), parent: parent)
            try #require(facts.updateValue(added, forKey: task.name) == nil, "two tasks are \(task.name)")
        }
        return facts
    }

    private static func kind(_ wait: RemoteTask.Wait) -> String {
        switch wait {
        case .task: "task"
        case .continuation: "continuation"
        case .group: "group"
        case .executor: "executor"
        }
    }

    @Test("A version that is not listed is named, and that of the listed ones is not")
    func namesVersion() throws {
        let usual = try Self.snapshot([]).layout
        #expect(usual.notes.isEmpty)
        let notes = try Self.snapshot([.variable(Self.version, 0x0100_0003)]).layout.notes
        #expect(notes.count == 1 && notes[0].contains("layout version 3,"), "\(notes)")
    }

    @Test(
        "A group whose place nothing proves has members that are not known, and is not said to have none",
        .enabled(if: RuntimeCopy.changesCode))
    func unprovenGroup() throws {
        let (usual, snapshot) = (try Self.snapshot([]), try Self.snapshot([.childFragment(size: 64)]))
        #expect(!snapshot.layout.knowsGroups)
        #expect(TreeOfNames(snapshot).lines == TreeOfNames(usual).lines)
        var text = ""
        SnapshotReport(snapshot, program: "Shapes", route: .snapshot).writeText(to: &text, isASCII: true, showsStacks: false)
        #expect(text.contains("waits for its group, whose members are not known") && !text.contains("no children"), "\(text)")
    }

    @Test("A moved group still has its children", .enabled(if: RuntimeCopy.changesCode))
    func movedGroup() throws {
        var text = ""
        SnapshotReport(try Self.snapshot([.childFragment(size: 32)]), program: "Shapes", route: .snapshot)
            .writeText(to: &text, isASCII: true, showsStacks: false)
        #expect(text.contains("group-0  suspended, waits for its group, 4 children (#"), "\(text)")
    }

    @Test("A missing name leaves a task's other facts", .enabled(if: RuntimeCopy.changesCode))
    func missingNames() throws {
        // A named task that ends would end the changed runtime too.
        let (usual, nameless) = (try Self.snapshot([], .frames), try Self.snapshot([.nameKind(9)], .frames))
        #expect(usual.tasks.contains { !$0.name.isEmpty })
        #expect(nameless.tasks.allSatisfy { $0.name.isEmpty && $0.state != .changing })
        #expect(nameless.tasks.count == usual.tasks.count)
        #expect(nameless.tasks.count { $0.parent != 0 } == usual.tasks.count { $0.parent != 0 })
        // The main task goes to sleep after it has said that the others wait.
        let main = nameless.tasks.min { $0.id < $1.id }?.address
        #expect(nameless.tasks.allSatisfy { $0.state == .suspended || $0.address == main })
        #expect(nameless.threads.allSatisfy { $0.task == nil || $0.task == main })
    }

    @Test("A runtime with priority escalation is refused")
    func escalates() throws {
        // The table of all symbols, which is stripped, has the true variable.
        let change = RuntimeChange.variableIs("_swift_concurrency_debug_supportsPriorityEscalation", Self.size)
        let problem = #expect(throws: SnapshotProblem.self) { try Self.snapshot([change, .stripped]) }
        #expect(problem?.kind == .escalatesPriority)
    }
}

/// The tasks of a snapshot as lines that do not depend on addresses and numbers: each with its facts, and those of its ancestors.
struct TreeOfNames {
    let lines: [String]

    /// Without the program's main task, which may run or wait when the program has said that its tasks are there.
    init(_ snapshot: Snapshot, hasNames: Bool = true) {
        func name(_ task: RemoteTask) -> String { hasNames ? task.name : "" }
        func word(_ task: RemoteTask) -> String {
            let wait =
                switch task.wait {
                case .task(let address): "task " + (snapshot.task(at: address).map(name) ?? "gone")
                case .continuation: "continuation"
                case .group: "group"
                case .executor: "executor"
                case nil: "-"
                }
            return "\(name(task)) \(task.kind) \(task.state) \(wait)\(task.isCancelled ? " cancelled" : "")"
        }
        let first = snapshot.tasks.map(\.id).min()
        let tasks = snapshot.tasks.filter { hasNames ? !($0.name.isEmpty && $0.kind == .unstructured) : $0.id != first }
        lines = tasks.map { task in
            var (words, next, depth) = ([word(task)], task, 0)
            while let parent = snapshot.task(at: next.parent), depth < 100 {
                words.append(word(parent))
                (next, depth) = (parent, depth + 1)
            }
            return words.joined(separator: " < ")
        }.sorted()
    }
}
