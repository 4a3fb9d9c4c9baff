import TaskEvents
import Testing
import TraceTestKit

@testable import RemoteTasks

/// Snapshots of programs whose runtime is a changed copy of the toolchain's. Each shows the tree of the unchanged one, or less.
@Suite(.serialized, .timeLimit(.minutes(5)))
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

    @Test("With another version, another size or a moved group the tree is that of the program", arguments: harmless)
    func sameTree(changes: [RuntimeChange]) throws {
        let usual = TreeOfNames(try Self.snapshot([]))
        let changed = TreeOfNames(try Self.snapshot(changes))
        #expect(changed.lines == usual.lines)
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
        #expect(text.contains("group-0  suspended, waits for its group, 4 children"), "\(text)")
    }

    @Test("A missing name leaves a task's other facts", .enabled(if: RuntimeCopy.changesCode))
    func missingNames() throws {
        // A named task that ends would end the changed runtime too.
        let (usual, nameless) = (try Self.snapshot([], .frames), try Self.snapshot([.nameKind(9)], .frames))
        #expect(usual.tasks.contains { !$0.name.isEmpty })
        #expect(nameless.tasks.allSatisfy { $0.name.isEmpty && $0.state != .changing })
        #expect(nameless.tasks.count == usual.tasks.count)
        #expect(nameless.tasks.count { $0.parent != 0 } == usual.tasks.count { $0.parent != 0 })
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
    init(_ snapshot: Snapshot) {
        func word(_ task: RemoteTask) -> String {
            let wait =
                switch task.wait {
                case .task(let address): "task " + (snapshot.task(at: address)?.name ?? "gone")
                case .continuation: "continuation"
                case .group: "group"
                case .executor: "executor"
                case nil: "-"
                }
            return "\(task.name) \(task.kind) \(task.state) \(wait)\(task.isCancelled ? " cancelled" : "")"
        }
        let tasks = snapshot.tasks.filter { !($0.name.isEmpty && $0.kind == .unstructured) }
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
