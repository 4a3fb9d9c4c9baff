import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Sentences about Swift tasks use no word that only holds of chains.
@Suite struct SwiftSentenceTests {
    /// Words for what Swift tasks do not have: bodies that run on an ended task, links, skips, joins.
    private static let wordsOfChains: Set = [
        "chain", "chains", "body", "bodies", "skipped", "skips", "join", "joins", "joined", "antecedent", "continued", "continues", "inner",
        "input", "inputs", "token", "follow",
    ]

    private static func chainWords(in text: String) -> Set<String> {
        // The names of tasks are the program's own.
        let prose = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        return wordsOfChains.intersection(prose.joined(separator: " ").lowercased().split { !$0.isLetter }.map(String.init))
    }

    /// For each rule that can speak of Swift tasks, a program that breaks it with Swift tasks alone.
    private static let programs: [String: @Sendable (inout SwiftTrace) -> Void] = [
        "wait-cycle": { swift in
            let tasks = [begun("one", in: &swift), begun("two", in: &swift)]
            swift.suspend(tasks[0], .task, awaiting: tasks[1])
            swift.suspend(tasks[1], .task, awaiting: tasks[0])
        },
        "never-completed": { swift in
            let task = begun("wait", in: &swift)
            swift.suspend(task, .continuation)
            swift.trace.release(task)
        },
        "unobserved-fault": { swift in
            let task = begun("load", in: &swift)
            swift.trace.fault(task, type: "Timeout")
            swift.trace.release(task)
        },
        "main-stall": { swift in swift.run(swift.task("draw", .detached), on: swift.main, milliseconds: 300) },
        "pool-starvation": { swift in starve(&swift) },
        "blocking-wait": { swift in
            let task = begun("load", in: &swift)
            swift.trace.beginWait(for: .none, by: task)
            swift.wait(milliseconds: 50)
            swift.trace.endWait(for: .none, by: task)
            swift.complete(task)
        },
        "off-main": { swift in swift.run(swift.task("render list", .detached), on: swift.global) },
        "hop-bounce": { swift in
            let task = begun("shuttle", in: &swift)
            for _ in 0..<8 {
                for (from, to) in [(swift.global, swift.main), (swift.main, swift.global)] {
                    swift.leave(task, from: from, to: to)
                    swift.wait(milliseconds: 5)
                    swift.begin(task, on: to, lane: 60)
                    swift.wait(microseconds: 10)
                }
            }
            swift.complete(task)
        },
    ]

    private static func begun(_ name: String, in swift: inout SwiftTrace) -> TaskID {
        let task = swift.task(name, .detached)
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global, lane: 60 + UInt16(task.rawValue))
        return task
    }

    /// The pool's two threads are kept while a third task waits for one.
    private static func starve(_ swift: inout SwiftTrace) {
        func keepTwo() -> [TaskID] {
            (0..<2).map { _ in
                let task = swift.task("keep", .detached)
                swift.enqueue(task, on: swift.global)
                return task
            }
        }
        let tasks = keepTwo()
        for (index, task) in tasks.enumerated() { swift.begin(task, on: swift.global, lane: 60 + UInt16(index)) }
        let waiting = swift.task("wait", .detached)
        swift.enqueue(waiting, on: swift.global)
        swift.wait(milliseconds: 400)
        for task in tasks { swift.complete(task) }
        swift.begin(waiting, on: swift.global, lane: 60)
        swift.complete(waiting)
    }

    /// Rules about chains alone. A source that is set again and a hop in place are the runtime's, a body on a failed task too.
    private static let rulesOfChains: Set = ["swallowed-error", "completed-twice", "redundant-hop"]

    @Test("A rule's sentences about Swift tasks say nothing of chains", arguments: WarningRules.all.map(\.id))
    func rules(rule: String) throws {
        let row = try #require(WarningCorpus.row(rule))
        var settings = WarningSettings.ofTests
        settings.mainNames = [NamePattern("render*")]
        var sentences = 0
        let corpus = row.boundary.filter(\.isFound).map { (build: $0.build, isOver: $0.isOver) }
        for program in corpus + (Self.programs[rule].map { [(build: $0, isOver: true)] } ?? []) {
            var swift = SwiftTrace()
            program.build(&swift)
            let warned = Warned(swift.trace, isOver: program.isOver, settings)
            for finding in warned.findings(rule) where warned.store.task(finding.task)?.kind.isOfSwift == true {
                sentences += 1
                let text = warned.list.message(of: finding, in: warned.store)
                #expect(Self.chainWords(in: text).isEmpty, "\(text)")
                let words = TaskWords(warned.store)
                let events = swift.trace.events.filter { warned.store.task($0.task)?.kind.isOfSwift == true }
                for text in Set(events.map { words.event($0, of: $0.task) }) {
                    #expect(Self.chainWords(in: text).isEmpty, "\(text)")
                }
            }
        }
        #expect((sentences == 0) == Self.rulesOfChains.contains(rule), "\(sentences) sentences")
    }

    /// The way in which the second of two Swift tasks treats the error of the first.
    private static let ends: [String: @Sendable (inout SwiftTrace, _ failing: TaskID, _ awaiting: TaskID) -> Void] = [
        "recovered": { swift, failing, awaiting in
            swift.trace.readError(of: failing, by: awaiting)
            swift.complete(awaiting)
        },
        "read": { swift, failing, awaiting in
            swift.trace.readError(of: failing, by: awaiting)
            swift.trace.cancel(awaiting, .thrown)
        },
        "forwarded": { swift, failing, awaiting in
            swift.trace.readError(of: failing, by: awaiting)
            swift.trace.forwardFault(awaiting, from: failing)
        },
        "transformed": { swift, failing, awaiting in
            swift.trace.readError(of: failing, by: awaiting)
            swift.trace.fault(awaiting, type: "Other", .transformed, from: failing)
        },
        "unobserved": { swift, _, awaiting in swift.complete(awaiting) },
        "open": { swift, failing, _ in swift.trace.readError(of: failing) },
    ]

    @Test("The sentences of a Swift task's error say nothing of chains", arguments: ends.keys.sorted())
    func faults(end: String) throws {
        var swift = SwiftTrace()
        let awaiting = Self.begun("awaiting", in: &swift)
        let failing = Self.begun("failing", in: &swift)
        swift.trace.fault(failing, type: "Timeout")
        let finish = try #require(Self.ends[end])
        finish(&swift, failing, awaiting)
        let store = swift.trace.store()
        let faults = FaultAnalysis(store, isOver: true)
        let (sentences, words) = (FaultSentence(store), TaskWords(store))
        let path = try #require(faults.path(from: failing))
        var texts = [sentences.summary(of: path)] + path.steps.map(sentences.text(of:))
        for task in [failing, awaiting].compactMap({ store.task($0) }) {
            if let text = words.role(faults.role(of: task), of: task) { texts.append(text) }
        }
        #expect(texts.count > 2)
        for text in texts { #expect(Self.chainWords(in: text).isEmpty, "\(text)") }
    }

    @Test("The error of an async let began in the function that threw it, not in the one that made the child") func asyncLet() throws {
        var swift = SwiftTrace()
        let main = Self.begun("main", in: &swift)
        let label = swift.trace.label(code: swift.trace.code("static Cross.main()", line: 18))
        let child = swift.task(labelled: label, .asyncLet, by: main)
        swift.begin(child, on: swift.global)
        let thrower = swift.trace.code("lookup(_:)", line: 8)
        swift.trace.fault(child, error: swift.trace.error(type: "CacheMiss", thrownBy: thrower))
        swift.trace.readError(of: child, by: main)
        let store = swift.trace.store()
        let task = try #require(store.task(child))
        #expect(TaskWords(store).nameOfOrigin(task) == "lookup(_:)")
        let path = try #require(FaultAnalysis(store).path(from: child))
        let text = FaultSentence(store).summary(of: path)
        #expect(
            text.hasPrefix(
                "An `async let` of `Cross.main() main.swift:18` on global, in `lookup(_:)`, failed first."), "\(text)")
    }
}
