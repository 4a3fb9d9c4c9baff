import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@Suite struct WordsTests {
    @Test(
        "Durations have one style and carry into the next unit when rounded up",
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.0 µs"), (12_349, "12.3 µs"), (99_949, "99.9 µs"), (99_950, "0.1 ms"),
            (12_050_000, "12.1 ms"), (999_949_999, "999.9 ms"), (999_950_000, "1.000 s"), (1_204_499_999, "1.204 s"),
            (59_999_499_999, "59.999 s"), (59_999_500_000, "1 m 00 s"), (125_400_000_000, "2 m 05 s"),
            (3_599_499_999_999, "59 m 59 s"), (3_599_500_000_000, "1 h 00 m"), (3_720_000_000_000, "1 h 02 m"),
            (UInt64.max, "5124095 h 35 m"),
        ] as [(UInt64, String)])
    func durations(nanoseconds: UInt64, text: String) {
        #expect(DurationText.text(nanoseconds) == text)
    }

    @Test("A duration that did not happen is a dash, with its own form in ASCII")
    func missingDurations() {
        #expect(DurationText.text(nil) == "–")
        #expect(DurationText.text(nil, isASCII: true) == "-")
        #expect(DurationText.text(1_500, isASCII: true) == "1.5 us")
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_204, "1,204"), (1_000_000, "1,000,000"), (-12_345, "-12,345")])
    func countsAreGrouped(count: Int, text: String) {
        #expect(CountText.text(count) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (1_234_567, "1.2 MB"),
        (24_000_000_000, "24 GB"), (UInt64.max, "18446744 TB"),
    ])
    func sizesHaveAUnit(bytes: UInt64, text: String) {
        #expect(SizeText.text(bytes) == text)
    }

    @Test func aNounFollowsItsCount() {
        #expect([0, 1, 1_204].map { CountText.text($0, "task") } == ["no tasks", "1 task", "1,204 tasks"])
        #expect(CountText.text(2, "entry", plural: "entries") == "2 entries")
    }

    @Test("A task whose thread blocks outside of the tasks is the subject of its event")
    func blockedThread() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let save = trace.root("save", on: main)
        trace.enqueue(save)
        trace.start(save)
        let event = TaskEvent(.waitBegan, other: save.rawValue)
        #expect(TaskWords(trace.store()).event(event, of: save) == "save blocks its thread")
    }

    @Test("A task that sleeps is suspended until its timer ends, not until a continuation is resumed")
    func timer() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "poll")
        let sleep = trace.code(CodeSymbol(function: "static Task.sleep(for:)", isMachinery: true))
        let ask = trace.code(CodeSymbol(function: "ask()", file: "App.swift", line: 12))
        let words = TaskWords(trace.store())
        let events = [sleep, ask].map {
            TaskEvent(.suspended, task: task, label: $0, detail: SuspensionReason.continuation.rawValue)
        }
        #expect(
            events.map { words.event($0, of: task) } == ["suspended until its timer ends", "suspended until its continuation is resumed"])
    }

    @Test("Tasks of one name are told apart by their lines, and executors by numbers")
    func sharedNames() {
        var trace = TraceBuilder()
        // The program made one more before it was recorded.
        let (_, first, second) = (trace.executor("disk", .pool), trace.executor("disk", .pool), trace.executor("disk", .pool))
        let save = trace.root("save", on: first, line: 3)
        _ = trace.root("load", on: second)
        // Chains and Swift's main actor share main.
        let mains = [trace.executor("main", .main), trace.executor("main", .main)]
        for main in mains { _ = trace.root("show", on: main) }
        let one = trace.root("main()", line: 12)
        let store = trace.store()
        #expect(TaskWords(store).name(of: one) == "main()")
        let other = trace.root("main()", line: 13)
        let words = TaskWords(trace.store())
        #expect([save, one, other].map { words.name(of: $0) } == ["save", "main():12", "main():13"])
        #expect([first, second].map { words.name($0) } == ["disk", "disk#2"])
        #expect(mains.map { words.name($0) } == ["main", "main"])
    }

    @Test("Executors of one name are told apart also after one whose name is lost")
    func lostExecutorName() {
        var trace = TraceBuilder()
        _ = trace.root("save", on: ExecutorID(rawValue: 9))
        let disks = [trace.executor("disk", .pool), trace.executor("disk", .pool)]
        for disk in disks { _ = trace.root("load", on: disk) }
        let words = TaskWords(trace.store())
        #expect(disks.map { words.name($0) } == ["disk", "disk#2"])
    }

    @Test("A closure that begins or ends is named by the function that gave it to the executor, and by the place")
    func closures() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.startClosure("draw(until:)", on: main, line: 29)
        trace.emit(TaskEvent(.started, task: .none, executor: main, detail: StartManner.dequeued.rawValue))
        trace.endClosure("draw(until:)", on: main, line: 29)
        trace.endJob(.none, on: main)
        let words = TaskWords(trace.store())
        #expect(words.sentence(of: trace.events[2]) == "draw(until:) ended its job on main")
        #expect(words.sentence(of: trace.events[3]) == "a closure ended its job on main")
        #expect(words.sentence(of: trace.events[0]) == "draw(until:) began on main, given at main.swift:29")
        #expect(words.sentence(of: trace.events[1]) == "a closure began on main")
    }

    @Test("Control characters are spelled out; other text is unchanged")
    func printable() {
        #expect(PrintableText.text("größe 日本 👩‍👩‍👧") == "größe 日本 👩‍👩‍👧")
        #expect(PrintableText.text("a\nb\r\tc") == "a\\nb\\r\\tc")
        #expect(PrintableText.text("\u{1B}[31m\u{0}\u{7F}\u{9B}") == "\\u{1B}[31m\\u{0}\\u{7F}\\u{9B}")
        #expect(PrintableText.text("a\u{202E}b\u{2028}c") == "a\\u{202E}b\\u{2028}c")
    }

    @Test(arguments: [
        ("KinesisError", "throttled", "KinesisError.throttled"), ("Code", "status(404)", "Code.status(404)"),
        ("Boom", "Boom(code: 3)", "Boom(code: 3)"), ("Boom", "Boom", "Boom"),
        ("NSError", "The file is missing.", "NSError: The file is missing."),
        ("Boom", "", "Boom"), ("", "", "unknown error"), ("Code", "status 4 (x)", "Code: status 4 (x)"),
    ])
    func anErrorIsItsTypeAndMessage(type: String, message: String, text: String) {
        #expect(ErrorText.text(ErrorDescription(type: type, message: message)) == text)
    }

    @Test func anUnknownErrorIsCalledSo() {
        #expect(ErrorText.text(nil) == "unknown error")
    }

    @Test("Percentiles are values that occurred, by the nearest rank")
    func percentiles() {
        let ten = Percentiles((1...10).reversed().map { UInt64($0) })
        #expect([0, 1, 10, 11, 50, 99, 100].map { ten.value(at: $0) } == [1, 1, 1, 2, 5, 10, 10])
        #expect(ten.longest == 10 && ten.count == 10)
        #expect(Percentiles([]).value(at: 50) == nil)
        #expect(Percentiles([7]).value(at: 99) == 7)
    }

    @Test("Every state has a word and a distinct glyph in both glyph sets")
    func badges() {
        let badges = DisplayedState.allCases.map(\.badge)
        #expect(Set(badges.map(\.glyph)).count == badges.count)
        #expect(Set(badges.map(\.asciiGlyph)).count == badges.count)
        #expect(badges.allSatisfy { (0x21...0x7E).contains($0.asciiGlyph.value) })
        #expect(Set(DisplayedState.byUrgency) == Set(DisplayedState.allCases) && DisplayedState.byUrgency.count == badges.count)
    }

    @Test("A skipped task has the skipped mark once it has ended", arguments: TaskState.allCases)
    func skippedState(state: TaskState) {
        #expect((DisplayedState(state, isSkipped: true) == .skipped) == state.hasEnded)
        #expect(DisplayedState(state) != .skipped)
    }

    @Test("A task is described by role, wait, executor and error")
    func tasks() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .queue)
        let save = trace.root("save\nRecord", on: net)
        trace.start(save)
        trace.fault(save, type: "KinesisError", message: "throttled")
        let submit = trace.continuation("submit", of: save, on: net)
        trace.skip(submit)
        let report = trace.continuation("report", of: submit, on: main)
        trace.hop(report, from: net)
        trace.enqueue(report)
        trace.advance(microseconds: 1_100)
        trace.start(report)
        trace.readError(of: submit, by: report)
        trace.complete(report)
        let store = trace.store()
        let words = TaskWords(store)
        let faults = FaultAnalysis(store)
        guard let first = store.task(save), let second = store.task(submit), let third = store.task(report) else { return }
        #expect(words.name(of: first) == "save\\nRecord")
        #expect(
            [first, second, third].map { words.role(faults.role(of: $0), of: $0) }
                == ["error thrown", "error forwarded", "read the error, recovered"])
        #expect([first, second, third].map { words.executor(of: $0) } == ["net", "net", "net→main"])
        #expect(words.executor(of: third, isASCII: true) == "net->main")
        #expect(words.wait(of: second) == nil)
        #expect(words.wait(of: third) == "waited 1.1 ms")
        #expect(words.error(of: second) == "KinesisError.throttled")
        #expect(words.error(of: third) == nil)
        #expect([first, second, third].map { DisplayedState($0) } == [.faulted, .skipped, .succeeded])
    }

    @Test("An event has a sentence about its own task and one about the other task that it names")
    func events() {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .queue))
        let save = trace.root("save", on: net)
        trace.enqueue(save)
        trace.start(save)
        trace.fault(save, type: "KinesisError", message: "{throttled}")
        let report = trace.continuation("report", of: save, on: main)
        trace.hop(report, to: main)
        trace.readError(of: save, by: report)
        let store = trace.store()
        func texts(_ task: TaskID) -> [String] {
            (1...store.eventCount).compactMap { store.event(number: $0)?.event }.filter { $0.task == task || $0.otherTask == task }
                .map { TaskWords(store).event($0, of: task) }
        }
        #expect(
            texts(save) == [
                "created", "queued on net", "began on net", "faulted: threw KinesisError: {throttled}", "report: created",
                "had its error read by report",
            ])
        #expect(
            texts(report) == ["created, to follow save", "hopped from a thread of no executor to main", "save: its error was read here"])
    }

    @Test("An event in a sentence with its task, or without where it has none")
    func sentences() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        trace.takeLane(thread: 4711)
        let save = trace.root("save", on: net)
        let report = trace.continuation("report", of: save, on: net)
        trace.enqueue(save)
        trace.start(save)
        trace.fault(save, type: "KinesisError", message: "{throttled}")
        trace.forwardFault(report, from: save)
        trace.mark("halfway")
        trace.lose(1200)
        let store = trace.store()
        let sentences = (1...store.eventCount).compactMap { store.event(number: $0)?.event }.map { TaskWords(store).sentence(of: $0) }
        #expect(
            sentences == [
                "thread 4711 began to record", "save created", "report created, to follow save", "save queued on net", "save began on net",
                "save faulted: threw KinesisError: {throttled}", "report faulted: forwarded KinesisError from save", "mark: halfway",
                "events missing here: 1,200",
            ])
    }

    @Test("An event that changes a task's state has the state's glyph and tone, and the word of its own row")
    func glyphs() {
        let pairs: [(EventKind, DisplayedState)] = [
            (.created, .pending), (.antecedent, .pending), (.enqueued, .queued), (.started, .running), (.resumed, .running),
            (.suspended, .suspended), (.waitBegan, .suspended), (.completed, .succeeded), (.faulted, .faulted), (.cancelled, .cancelled),
            (.cancellationAsked, .cancelled), (.skipped, .skipped),
        ]
        for (kind, state) in pairs {
            #expect(kind.badge.glyph == state.badge.glyph && kind.badge.tone == state.badge.tone, "\(kind)")
            #expect(kind.badge.asciiGlyph == state.badge.asciiGlyph, "\(kind)")
        }
        #expect(EventKind.allCases.allSatisfy { $0.word == EventDescription[$0].word })
    }

    @Test("Every kind of event has a sentence without a gap", arguments: EventKind.allCases)
    func everyKind(kind: EventKind) {
        let trace = SampleTrace.make()
        let store = trace.store()
        for detail in 0..<UInt8(8) {
            for (task, other) in [(TaskID(rawValue: 1), UInt64(2)), (TaskID(rawValue: 1), 0), (.none, 2), (.none, 0)] {
                let event = TaskEvent(kind, task: task, other: other, detail: detail)
                let sentence = TaskWords(store).sentence(of: event)
                #expect(!sentence.contains("{") && !sentence.contains("task 0") && !sentence.isEmpty, "\(sentence)")
            }
        }
    }
}
