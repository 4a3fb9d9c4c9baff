import Foundation
import Testing
import TraceTestKit

@testable import RemoteTasks

/// Snapshots of tasks that a C program lays out as runtimes that cannot be had would.
@Suite(.timeLimit(.minutes(Stress.minutesOfMutations)))
struct GeneratedLayoutTests {
    /// The layout of the program's tasks: its arguments after the seed.
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let arguments: [String]

        init(
            _ description: String, version: UInt32, size: Int, stated: Int, group: Int, nameFollows: Bool = false, hasNews: Bool = false,
            hostility: Int = 0
        ) {
            self.description = description
            arguments = ["\(version)", "\(size)", "\(stated)", "\(group)", nameFollows ? "1" : "0", hasNews ? "1" : "0", "\(hostility)"]
        }
    }

    private static let rows = [
        Row("Swift 6.3", version: 1, size: 208, stated: 208, group: 16),
        Row("Swift 6.4", version: 1, size: 208, stated: 208, group: 24),
        Row("Swift 6.1", version: 1, size: 192, stated: 0, group: 16),
        Row("main", version: 0x0100_0003, size: 224, stated: 224, group: 24, nameFollows: true, hasNews: true),
        Row("main with 6.3's names", version: 0x0100_0003, size: 224, stated: 224, group: 24, hasNews: true),
        Row("main that states a false size", version: 3, size: 224, stated: 208, group: 24, nameFollows: true, hasNews: true),
        Row("a size that no version has", version: 7, size: 248, stated: 248, group: 32, nameFollows: true),
    ]

    private static func program(hasShields: Bool = true) throws -> String {
        // The reader looks for the runtime in a module of this name.
        try BuildFolder("RemoteTasksTests").program("fake-swift_Concurrency\(hasShields ? "" : "-old")") { path in
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/FakeRuntime.c").path
            return ["clang", "-O1", "-rdynamic", "-fvisibility=hidden", "-o", path, source] + (hasShields ? [] : ["-DWITHOUT_SHIELDS"])
        }
    }

    /// A task in the terms of the program's ledger: the numbers of the task, its parent and the awaited task. Unknown facts are nil.
    private struct Facts: Equatable {
        var id: UInt64
        var name: String?
        var parent: UInt64
        var wait: String?
        var awaited: UInt64

        init?(line: String) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 6, words[0] == "task" else { return nil }
            (id, name, parent) = (UInt64(words[1]) ?? 0, words[2] == "-" ? nil : words[2], UInt64(words[3]) ?? 0)
            (wait, awaited) = (words[4], UInt64(words[5]) ?? 0)
        }

        init(_ task: RemoteTask, in snapshot: Snapshot) {
            (id, name, parent) = (task.id, task.name.isEmpty ? nil : task.name, snapshot.task(at: task.parent)?.id ?? 0)
            (wait, awaited) = (nil, 0)
            switch task.wait {
            case .task(let address): (wait, awaited) = ("task", snapshot.task(at: address)?.id ?? 0)
            case .continuation: wait = "continuation"
            case .group: wait = "group"
            case .executor: wait = "executor"
            case nil: break
            }
        }

        /// Whether each of these facts is right or unknown.
        func isRight(_ truth: Facts) -> Bool {
            id == truth.id && (name == nil || name == truth.name) && (parent == 0 || parent == truth.parent)
                && (wait == nil || wait == truth.wait && awaited == truth.awaited)
        }
    }

    private static func facts(_ snapshot: Snapshot) -> [Facts] { snapshot.tasks.map { Facts($0, in: snapshot) } }
    private static func ledger(_ program: RunningProgram) -> [Facts] { program.lines.compactMap { Facts(line: $0) } }

    @Test("A random layout is read right, or its facts are unknown, or it is refused")
    func randomLayouts() throws {
        let path = try Self.program()
        var (known, refused) = (0, 0)
        let first = Stress.firstMutation
        for seed in first..<first + Stress.mutations(everyDay: 40) {
            var random = SeededGenerator(seed: UInt64(seed))
            let size = Int.random(in: 24...33, using: &random) * 8
            let row = Row(
                "", version: [1, 1, 2, 3, 0x0100_0003].randomElement(using: &random) ?? 1, size: size,
                stated: [size, 0, Int.random(in: 24...40, using: &random) * 8].randomElement(using: &random) ?? 0,
                group: Int.random(in: 2...6, using: &random) * 8, nameFollows: .random(using: &random), hasNews: .random(using: &random),
                hostility: seed % 3 == 0 ? 0 : seed)
            let program = try RunningProgram(path, ["\(seed)"] + row.arguments)
            let truth = Dictionary(uniqueKeysWithValues: Self.ledger(program).map { ($0.id, $0) })
            guard let snapshot = try? Snapshot(of: RemoteProcess(pid: program.pid)) else {
                refused += 1
                continue
            }
            let facts = Self.facts(snapshot)
            let wrong = facts.filter { fact in truth[fact.id].map { !fact.isRight($0) } ?? true }
            #expect(snapshot.tasks.allSatisfy { $0.state == .suspended || $0.state == .changing }, "seed \(seed), \(row.arguments)")
            #expect(wrong.isEmpty, "seed \(seed), \(row.arguments): \(wrong.map { ($0, truth[$0.id]) })")
            known += facts.count { $0.wait != nil && ($0.parent != 0 || truth[$0.id]?.parent == 0) }
            let groups = Dictionary(grouping: snapshot.tasks.filter { $0.kind == .groupChild }, by: \.group)
            for task in snapshot.tasks where snapshot.layout.knowsGroups {
                guard case .group(let group) = task.wait else { continue }
                #expect(groups[group]?.isEmpty == false, "seed \(seed), \(row.arguments): an empty group")
            }
        }
        #expect(known > 0 && refused > 0)
        print("mutations: snapshots of generated layouts have \(known) tasks with wait and parent; \(refused) are refused")
    }

    @Test("In 20 generated programs of each layout, names, parents and groups are those that were made", arguments: rows)
    func tree(row: Row) throws {
        let path = try Self.program()
        for seed in 1...20 {
            let program = try RunningProgram(path, ["\(seed)"] + row.arguments)
            let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
            #expect(Self.facts(snapshot) == Self.ledger(program), "seed \(seed)")
            #expect(snapshot.layout.knowsParents)
            let members = Dictionary(grouping: snapshot.tasks.filter { $0.kind == .groupChild }, by: \.parent)
            for task in snapshot.tasks {
                guard case .group(let group) = task.wait else { continue }
                let found = snapshot.tasks.filter { $0.group == group }
                #expect(snapshot.layout.knowsGroups && !found.isEmpty, "seed \(seed)")
                #expect(found.map(\.id) == members[task.address]?.map(\.id), "seed \(seed)")
            }
            #expect(snapshot.tasks.allSatisfy { $0.state == .suspended && $0.wait != nil }, "seed \(seed)")
        }
    }

    @Test("Flags of tasks that no version here knows are named")
    func unknownFlags() throws {
        let program = try RunningProgram(try Self.program(), ["1"] + Self.rows[3].arguments)
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(snapshot.layout.unknownStatusBits == 0x108_0000)
        #expect(snapshot.layout.notes.contains("Tasks have flags that Hopscope does not know: 0x1080000."))
    }

    @Test("A task is in a cancellation shield if its runtime has shields, and has an unknown flag otherwise")
    func shields() throws {
        for hasShields in [true, false] {
            let program = try RunningProgram(try Self.program(hasShields: hasShields), ["1"] + Self.rows[3].arguments)
            let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
            let shielded = program.lines.filter { $0.hasPrefix("shielded ") }.compactMap { UInt64($0.dropFirst("shielded ".count)) }
            #expect(!shielded.isEmpty && shielded.count < snapshot.tasks.count)
            #expect(snapshot.tasks.filter(\.isShielded).map(\.id).sorted() == (hasShields ? shielded.sorted() : []))
            #expect(snapshot.layout.unknownStatusBits == (hasShields ? 0x108_0000 : 0x109_0000))
            var text = ""
            SnapshotReport(snapshot, program: "fake", route: .snapshot).writeText(to: &text, isASCII: true, showsStacks: false)
            #expect(text.contains(", shielded") == hasShields)
        }
    }

    @Test("A group in a place that nothing proves leaves the parents, and no group is said to be empty")
    func groupElsewhere() throws {
        let row = Row("", version: 1, size: 208, stated: 208, group: 48)
        let program = try RunningProgram(try Self.program(), ["3"] + row.arguments)
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        #expect(Self.facts(snapshot) == Self.ledger(program))
        #expect(!snapshot.layout.knowsGroups)
    }
}
