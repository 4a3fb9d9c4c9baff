import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// The waits that the first screen names although no rule has fired.
@Suite struct LongWaitsTests {
    private func texts(_ trace: TraceBuilder) -> [String] {
        let store = trace.store()
        return LongWaits(store).groups.map { $0.text(in: store) }
    }

    /// Ends the trace `milliseconds` later.
    private func later(_ milliseconds: UInt64, _ trace: TraceBuilder) -> TraceBuilder {
        var trace = trace
        trace.advance(milliseconds: milliseconds)
        trace.mark("later")
        return trace
    }

    @discardableResult
    private func waiter(_ name: String, _ reason: SuspensionReason, in calls: EntryID = .none, _ trace: inout TraceBuilder) -> TaskID {
        let task = trace.create(.unstructured, name)
        trace.start(task, .dequeued)
        trace.suspend(task, reason, in: calls)
        return task
    }

    @Test("Tasks that wait for continuations at one place are one line, with the longest wait")
    func grouped() {
        var trace = TraceBuilder()
        for number in 1...3 {
            waiter("request \(number)", .continuation, &trace)
            trace.advance(milliseconds: 100)
        }
        #expect(texts(later(1000, trace)).isEmpty)
        #expect(
            texts(later(4000, trace)) == [
                "3 tasks wait for a continuation that nothing has resumed; the longest, `request 1`, for 4.300 s"
            ])
    }

    @Test("A wait in code that has no name yet is left out while names are looked up: it may be a library's")
    func unnamed() {
        var trace = TraceBuilder()
        waiter("of a library", .continuation, in: trace.code(), &trace)
        waiter("request", .continuation, in: trace.code(CodeSymbol(function: "ask()", file: "App.swift", line: 5)), &trace)
        waiter("chain", .continuation, &trace)
        let store = later(4000, trace).store()
        #expect(LongWaits(store).groups.map(\.count).reduce(0, +) == 3)
        let waits = LongWaits(store, isFindingNames: true)
        #expect(waits.groups.compactMap { store.task($0.task)?.label.name }.sorted() == ["chain", "request"])
    }

    @Test("An asynchronous main that has ended its program does not run without a pause", arguments: [false, true])
    func finishedMain(isOver: Bool) {
        var trace = TraceBuilder()
        let main = trace.reserveTask()
        let code = trace.label("main", code: trace.code("static App.main()"))
        trace.emit(TaskEvent(.created, task: main, label: code, detail: TaskKind.main.rawValue))
        trace.start(main, .slice)
        let request = waiter("request", .continuation, &trace)
        let store = later(3000, trace).store()
        if isOver { store.end = .exit }
        #expect(LongWaits(store).groups.map(\.task) == (isOver ? [] : [main]) + [request])
    }

    @Test("A job that goes on for seconds has the place where a look from outside saw it compute")
    func computes() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "crunch")
        trace.takeLane(thread: 7)
        trace.start(task, .dequeued)
        let store = later(4000, trace).store()
        let calls = [CodeSymbol(function: "Sum.add(_:)", file: "App.swift", line: 9)]
        func text(_ sight: OutsideView.Sight) -> [String] {
            store.outside = OutsideView(began: store.now, tasks: [:], threads: [7: sight])
            return LongWaits(store).groups.map { $0.text(in: store) }
        }
        #expect(
            text(OutsideView.Sight(isComputing: true, calls: calls)) == [
                "`crunch` has computed for 4.000 s without a pause in Sum.add(_:), App.swift:9"
            ])
        #expect(text(OutsideView.Sight(isComputing: true)) == ["`crunch` has computed for 4.000 s without a pause"])
        let chain = WaitChain(of: .task(task), in: store)
        store.outside = OutsideView(began: store.now, tasks: [:], threads: [7: OutsideView.Sight(isComputing: true, calls: calls)])
        #expect(WaitWords(store).text(ofLink: 0, of: chain).hasSuffix(", in Sum.add(_:), App.swift:9"), "\(chain)")
    }

    @Test("Of tasks that wait for main, which runs none of its jobs, it is told what main's thread does, if a look from outside saw it")
    func mainIsHeld() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.detached, "download", on: main)
        trace.enqueue(task, on: main)
        let store = later(3000, trace).store()
        let wait = WaitChain(of: .task(task), in: store)
        func told() -> [String] {
            LongWaits(store).groups.map { $0.text(in: store) } + [WaitWords(store).text(ofLink: 0, of: wait)]
        }
        #expect(
            told() == [
                "`download` has waited 3.000 s for a turn on main",
                "waits for main, for 3.000 s; the rest is unknown: the trace shows no job that runs on main",
            ])
        let calls = [CodeSymbol(function: "static App.main()", file: "App.swift", line: 12)]
        let sight = OutsideView.Sight(blockingCall: "DispatchSemaphore.wait()", calls: calls)
        store.outside = OutsideView(began: store.now, tasks: [:], threads: [7: sight], mainThread: 7)
        #expect(
            told() == [
                "`download` has waited 3.000 s for a turn on main, whose thread blocks in DispatchSemaphore.wait(), App.swift:12",
                "waits for main, for 3.000 s; the thread of main blocks in DispatchSemaphore.wait(), App.swift:12, "
                    + "and runs none of its jobs",
            ])
        let computes = OutsideView.Sight(isComputing: true, calls: calls)
        store.outside = OutsideView(began: store.now, tasks: [:], threads: [7: computes], mainThread: 7)
        #expect(told()[0].hasSuffix(" for a turn on main, whose thread computes in App.main(), App.swift:12"))
    }

    @Test("A wait at a new place is told, wherever the task has waited before")
    func newPlaces() {
        var trace = TraceBuilder()
        let places = (0..<128).map { trace.code(CodeSymbol(function: "handle()", file: "App.swift", line: UInt32($0 + 1))) }
        // Each task hops, asks two others, and then waits at a place of its own.
        for number in 0..<32 {
            let task = waiter("request \(number)", .executor, in: places[number], &trace)
            for step in 1...3 {
                trace.start(task, .dequeued)
                trace.suspend(task, .continuation, in: places[number + 32 * step])
            }
        }
        let store = later(4000, trace).store()
        #expect(LongWaits(store).groups.count == 32)
    }

    @Test("Tasks that have just begun to wait at the place of a long wait count, and one elsewhere does not")
    func countsAll() {
        var trace = TraceBuilder()
        let (here, there) = (
            trace.code(CodeSymbol(function: "ask()", file: "App.swift", line: 5)),
            trace.code(CodeSymbol(function: "tell()", file: "App.swift", line: 9))
        )
        for number in 1...2 { waiter("request \(number)", .continuation, in: here, &trace) }
        trace.advance(milliseconds: 2500)
        waiter("request 3", .continuation, in: here, &trace)
        waiter("other", .continuation, in: there, &trace)
        #expect(
            texts(later(100, trace)) == [
                "3 tasks wait for a continuation that nothing has resumed, App.swift:5; the longest, `request 1`, for 2.600 s"
            ])
    }

    @Test("Tasks whose waits are long, but not against one that has ended there, count beside one whose wait is unusual")
    func countsUsual() {
        var trace = TraceBuilder()
        let here = trace.code(CodeSymbol(function: "ask()", file: "App.swift", line: 5))
        let ended = waiter("ended", .continuation, in: here, &trace)
        trace.advance(milliseconds: 3000)
        trace.start(ended, .slice)
        trace.complete(ended)
        for (name, milliseconds) in [("first", 2000), ("second", 2500), ("third", 1500), ("fourth", 1000)] as [(String, UInt64)] {
            waiter(name, .continuation, in: here, &trace)
            trace.advance(milliseconds: milliseconds)
        }
        #expect(
            texts(later(100, trace)) == [
                "4 tasks wait for a continuation that nothing has resumed, App.swift:5; the longest, `first`, for 7.100 s"
            ])
    }

    @Test("A task that was cancelled and waits nevertheless is told as such") func cancelled() {
        var trace = TraceBuilder()
        let task = waiter("request", .continuation, &trace)
        trace.emit(TaskEvent(.cancellationAsked, task: task))
        #expect(
            texts(later(3000, trace)) == [
                "`request` was cancelled, and has waited 3.000 s for a continuation that nothing has resumed"
            ])
    }

    /// A task that suspends every `microseconds`, and wakes itself: by a sleep that has a task of the runtime's own, or as it yields.
    private func loop(_ count: Int, every microseconds: UInt64, sleeps: Bool, woken: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let other = trace.create(.unstructured, "producer")
        let task = trace.create(.unstructured, "poll")
        trace.start(task, .slice)
        for _ in 0..<count {
            trace.advance(microseconds: microseconds)
            trace.suspend(task, .continuation)
            let timer = sleeps ? trace.create(.internal) : woken ? other : .none
            if sleeps { trace.start(timer, .slice) }
            trace.enqueue(task, by: timer)
            if sleeps { trace.complete(timer) }
            trace.start(task, .slice)
        }
        return trace
    }

    @Test("A task that sleeps or yields thousands of times a second spins; one that sleeps for a millisecond, works, or is woken does not")
    func spinning() {
        #expect(
            texts(loop(2000, every: 2, sleeps: true)) == [
                "`poll` spins: it has slept 2,000 times in 4.0 ms, each time for hardly any time"
            ])
        #expect(
            texts(loop(2000, every: 2, sleeps: false)) == [
                "`poll` spins: it has yielded 2,000 times in 4.0 ms, and done hardly anything in between"
            ])
        #expect(texts(loop(2000, every: 1100, sleeps: true)).isEmpty, "it sleeps for a millisecond")
        #expect(texts(loop(2000, every: 100, sleeps: false)).isEmpty, "it works for 100 us between two yields")
        #expect(texts(loop(2000, every: 2, sleeps: false, woken: true)).isEmpty, "another task wakes it")
        #expect(texts(loop(100, every: 2, sleeps: true)).isEmpty, "that is a burst")
        #expect(texts(later(1000, loop(2000, every: 2, sleeps: true))).isEmpty, "it did so a second ago")
    }

    @Test("Tasks that spin at one place are one line, with the place that most of their turns have") func spinningTogether() {
        var trace = TraceBuilder()
        let awaited = trace.code(CodeSymbol(function: "waitUntilReady(_:)", file: "App.swift", line: 6))
        let tasks = (0..<3).map { _ in trace.create(.unstructured, "poll") }
        for task in tasks { trace.start(task, .slice) }
        for turn in 0..<2000 {
            for task in tasks {
                trace.advance(microseconds: 1)
                // A task that is woken at once may show calls of its next turn, which have no place.
                trace.suspend(task, .continuation, in: turn % 3 == 0 ? .none : awaited)
                trace.enqueue(task)
                trace.start(task, .slice)
            }
        }
        #expect(
            texts(trace) == [
                "3 tasks spin, App.swift:6: `poll` has yielded 2,000 times in 6.0 ms, and done hardly anything in between"
            ])
    }

    @Test("A task is queued earlier than it suspended by the times of its lane, which step back: it does not spin")
    func turnsBackInTime() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "poll")
        let batch = TraceBatch(
            events: trace.events + [TaskEvent(.suspended, task: task, at: 2000), TaskEvent(.enqueued, task: task, at: 1000)],
            lanes: [0, 0, 0])
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(batch)
        #expect(LongWaits(store).groups.map { $0.text(in: store) } == [])
    }

    @Test("Tasks of one place that all fail are told, though each error was read") func failures() {
        var trace = TraceBuilder()
        func attempt(_ fails: Bool, _ trace: inout TraceBuilder) {
            let task = trace.create(.unstructured, "connect", line: 7)
            trace.start(task, .slice)
            if fails { trace.fault(task, type: "Refused") } else { trace.complete(task) }
            trace.advance(milliseconds: 5)
        }
        trace.start(trace.create(.unstructured, "main"), .slice)
        for _ in 0..<9 { attempt(true, &trace) }
        #expect(texts(trace).isEmpty)
        attempt(true, &trace)
        #expect(texts(trace) == ["All of the last 10 tasks like `connect` failed: Refused"])
        attempt(false, &trace)
        #expect(texts(trace).isEmpty)
    }

    @Test("A task that waits is found among any number of tasks that have ended") func amongMany() {
        var trace = TraceBuilder()
        for _ in 0..<60_000 {
            let task = trace.create(.unstructured, "request")
            trace.start(task, .slice)
            trace.complete(task)
        }
        waiter("stuck", .continuation, &trace)
        let store = later(3000, trace).store()
        var pass = LongWaitsPass()
        let looks = (0..<4).map { _ in pass.advance(store, portion: 1000)?.groups.map { $0.text(in: store) } }
        #expect(looks == [nil, nil, nil, ["`stuck` has waited 3.000 s for a continuation that nothing has resumed"]])
    }

    @Test("A pass over many waiting tasks looks at a portion of them at a time, and finds what one look finds", arguments: [false, true])
    func portions(isStill: Bool) {
        var trace = TraceBuilder()
        for number in 1...40 {
            waiter("request \(number)", .continuation, &trace)
            trace.advance(milliseconds: 1)
        }
        let store = later(3000, trace).store()
        if isStill { store.advance(to: trace.now + 6_000_000_000) }
        var pass = LongWaitsPass()
        var looks = 0
        var found: LongWaits?
        while found == nil, looks < 100 {
            found = pass.advance(store, portion: 7)
            looks += 1
        }
        let whole = LongWaits(store)
        #expect(looks == 6)
        #expect(found?.groups == whole.groups && found?.groups.first?.count == 40)
        #expect((found?.stillSince != nil) == isStill && found?.stillSince == whole.stillSince)
    }

    @Test("Tasks that wait at one place are all counted") func many() {
        var trace = TraceBuilder()
        for number in 1...400 { _ = waiter("request \(number)", .continuation, &trace) }
        #expect(
            texts(later(3000, trace)) == [
                "400 tasks wait for a continuation that nothing has resumed; the longest, `request 1`, for 3.000 s"
            ])
    }

    @Test("A task that was there before the probe was loaded has waited for at least the time since then") func adopted() throws {
        let (task, second) = (TaskID(rawValue: 3), UInt64(1_000_000_000))
        let store = TraceStore()
        store.apply([
            TaskEvent(.adopted, task: task, at: 10, detail: TaskKind.unstructured.rawValue),
            TaskEvent(.suspended, task: task, at: 10, detail: SuspensionReason.continuation.rawValue),
            TaskEvent(.mark, task: .none, at: 10 + 3 * second),
        ])
        func words() -> String { WaitWords(store).text(ofLink: 0, of: WaitChain(of: .task(task), in: store)) }
        #expect(words() == "awaits a continuation that nothing has resumed, for at least 3.000 s")
        let groups = LongWaits(store).groups.map { $0.text(in: store) }
        #expect(groups == ["`task 3` has waited at least 3.000 s for a continuation that nothing has resumed"])
        // A wait that began afterwards is known from its beginning.
        store.apply([
            TaskEvent(.resumed, task: task, at: 10 + 4 * second),
            TaskEvent(.suspended, task: task, at: 10 + 5 * second, detail: SuspensionReason.continuation.rawValue),
            TaskEvent(.mark, task: .none, at: 10 + 6 * second),
        ])
        #expect(words() == "awaits a continuation that nothing has resumed, for 1.000 s")
    }

    @Test("Snapshots show the least time of a wait: it began before the first that showed it") func sampled() {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let task = waiter("request", .continuation, &trace)
        let store = later(3300, trace).store()
        let texts = LongWaits(store).groups.map { $0.text(in: store) }
        #expect(texts == ["`request` has waited at least 3.300 s for a continuation that nothing has resumed"])
        let chain = WaitChain(of: .task(task), in: store)
        #expect(WaitWords(store).text(ofLink: 0, of: chain) == "awaits a continuation that nothing has resumed, for at least 3.300 s")
    }

    @Test("A task in a queue names the job that holds the executor, and a job that runs long is told by itself")
    func queued() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        let hold = trace.root("hold", on: net)
        trace.enqueue(hold)
        trace.start(hold)
        trace.enqueue(trace.root("answer", on: net))
        let texts = texts(later(3000, trace))
        #expect(
            texts == [
                "`hold` has run for 3.000 s without a pause",
                "`answer` has waited 3.000 s for a turn on net, which runs `hold`",
            ])
    }

    @Test("A task that runs without a pause and changes executors all the time tells how often and where", arguments: [499, 500])
    func hops(count: Int) {
        var trace = TraceBuilder()
        let (global, broker) = (trace.executor("global", .global), trace.executor("Broker", .actor))
        let task = trace.create(.detached, "retry")
        trace.start(task, .slice, on: global)
        let hops = InlineHops(from: broker, count: UInt64(count), nanoseconds: 1000)
        let place = trace.code(CodeSymbol(function: "send()", file: "App.swift", line: 12))
        for label in [place, .none] {
            trace.emit(
                TaskEvent(.hopped, task: task, other: hops.other, executor: global, label: label, detail: HopManner.inline.rawValue))
        }
        let told = count < 500 ? "" : ", and hopped 1,000 times, last from Broker to global, App.swift:12"
        #expect(texts(later(3000, trace)) == ["`retry` has run for 3.000 s without a pause\(told)"])
    }

    @Test("A wait for a timer, also through another task, is not told; of a hung task and its caller only the first is")
    func healthy() {
        var trace = TraceBuilder()
        let delay = trace.delay()
        _ = trace.continuation("after the delay", of: delay)
        let hung = waiter("hung", .continuation, &trace)
        let caller = trace.create(.unstructured, "caller")
        trace.start(caller, .dequeued)
        trace.suspend(caller, .task, awaiting: hung)
        #expect(texts(later(3000, trace)) == ["`hung` has waited 3.000 s for a continuation that nothing has resumed"])
    }

    @Test("Tasks of a deadlock's ring are told one by one")
    func ring() {
        var trace = TraceBuilder()
        let (one, other) = (trace.create(.unstructured, "one"), trace.create(.unstructured, "other"))
        for (task, awaited) in [(one, other), (other, one)] {
            trace.start(task, .dequeued)
            trace.suspend(task, .task, awaiting: awaited)
        }
        let caller = trace.create(.unstructured, "caller")
        trace.start(caller, .dequeued)
        trace.suspend(caller, .task, awaiting: one)
        #expect(texts(later(3000, trace)) == ["`one` has waited 3.000 s for `other`", "`other` has waited 3.000 s for `one`"])
    }

    @Test("A wait is measured against the waits at its place that have ended, and a loop that waits for its next item is not told")
    func peers() {
        var trace = TraceBuilder()
        let place = trace.code(CodeSymbol(function: "confirm()", file: "App.swift", line: 31))
        func running(_ name: String) -> TaskID {
            let task = trace.create(.unstructured, name)
            trace.start(task, .dequeued)
            return task
        }
        func wait(_ task: TaskID, milliseconds: UInt64) {
            trace.suspend(task, .continuation, in: place)
            trace.advance(milliseconds: milliseconds)
            trace.resume(task)
        }
        wait(running("quick"), milliseconds: 5)
        trace.suspend(running("hung"), .continuation, in: place)
        func told(_ seconds: Int) -> String {
            "`hung` has waited \(seconds).000 s for a continuation that nothing has resumed, App.swift:31"
        }
        #expect(texts(later(3000, trace)).last == told(3))

        let loop = running("loop")
        wait(loop, milliseconds: 2000)
        trace.suspend(loop, .continuation, in: place)
        #expect(!texts(later(1500, trace)).contains { $0.contains("hung") }, "another wait there took half as long")
        #expect(texts(later(20_000, trace)).contains(told(22)))
        #expect(!texts(later(20_000, trace)).contains { $0.contains("loop") })
    }

    @Test("A wait in the code of libraries alone is not told, and a silent stream only if nothing else happens")
    func libraries() {
        var trace = TraceBuilder()
        func wait(_ name: String, in calls: EntryID) {
            let task = trace.create(.unstructured, name)
            trace.start(task, .dequeued)
            trace.suspend(task, .continuation, in: calls)
        }
        wait("server", in: trace.code(CodeSymbol(function: "Server.run()", file: "Server.swift", line: 3, library: "server")))
        wait(
            "reader",
            in: trace.code(
                CodeSymbol(function: "AsyncStream._Storage.next()", isMachinery: true),
                CodeSymbol(function: "read()", file: "App.swift", line: 7)))
        #expect(texts(later(3000, trace)).isEmpty)
        let still = trace.store()
        still.advance(to: trace.now + 3_000_000_000)
        #expect(
            LongWaits(still).groups.map { $0.text(in: still) } == [
                "`reader` has waited 3.000 s for the next value of a stream, App.swift:7"
            ])
    }

    @Test(
        "A loop that waits for its next item is told if nothing happens at all, unless a task waits for a time", arguments: [false, true])
    func stillLoop(hasTimer: Bool) {
        var trace = TraceBuilder()
        let loop = trace.create(.unstructured, "loop")
        trace.start(loop, .dequeued)
        let place = trace.code(CodeSymbol(function: "serve()", file: "App.swift", line: 12))
        for _ in 0..<2 {
            trace.suspend(loop, .continuation, in: place)
            trace.advance(milliseconds: 40)
            trace.resume(loop)
        }
        trace.suspend(loop, .continuation, in: place)
        if hasTimer {
            let timer = trace.create(.unstructured, "timer")
            trace.start(timer, .dequeued)
            trace.suspend(timer, .continuation, in: trace.code(CodeSymbol(function: "static Task.sleep(for:)", isMachinery: true)))
        }
        #expect(texts(later(3000, trace)).isEmpty, "something happens")
        let store = trace.store()
        store.advance(to: trace.now + 3_000_000_000)
        let waits = LongWaits(store)
        #expect(waits.groups.count == (hasTimer ? 0 : 1))
        #expect((waits.stillSince == nil) == hasTimer)
    }

    @Test("In a trace without blocks, a loop may wait for an answer of its own block, so a long wait is told", arguments: [false, true])
    func unseenAnswer(seesBlocks: Bool) {
        var trace = TraceBuilder()
        trace.state(seesBlocks ? .all : .all.subtracting(.blocks))
        let (loop, place) = (trace.create(.unstructured, "loop"), trace.code(CodeSymbol(function: "load()", file: "App.swift", line: 12)))
        trace.start(loop, .dequeued)
        for _ in 0..<2 {
            trace.suspend(loop, .continuation, in: place)
            trace.advance(milliseconds: 40)
            trace.resume(loop)
        }
        trace.suspend(loop, .continuation, in: place)
        #expect(texts(later(3000, trace)).contains { $0.hasPrefix("`loop`") } != seesBlocks)
    }

    @Test("A loop whose waits end by blocks that it made itself waits for an answer, so a long wait is told", arguments: [false, true])
    func ownAnswer(isOwn: Bool) {
        var trace = TraceBuilder()
        let (queue, place) = (trace.executor("disk", .custom), trace.code(CodeSymbol(function: "load()", file: "App.swift", line: 12)))
        let (loop, other) = (trace.create(.unstructured, "loop"), trace.create(.unstructured, "other"))
        trace.start(other, .dequeued)
        trace.start(loop, .dequeued)
        for _ in 0..<2 {
            let block = trace.block("load()", on: queue, by: isOwn ? loop : other)
            trace.suspend(loop, .continuation, in: place)
            trace.start(block, on: queue)
            trace.enqueue(loop, on: queue, by: block)
            trace.resume(loop)
        }
        trace.suspend(loop, .continuation, in: place)
        #expect(texts(later(3000, trace)).contains { $0.hasPrefix("`loop`") } == isOwn)
    }

    @Test("An executor for which more than ten jobs wait for a second is told")
    func saturated() {
        var trace = TraceBuilder()
        let actor = trace.executor("Inventory", .actor)
        let holder = trace.create(.unstructured, "holder", on: actor)
        trace.enqueue(holder)
        trace.start(holder)
        for _ in 0..<12 { trace.enqueue(trace.create(.unstructured, "order", on: actor)) }
        let text = "12 tasks wait for a turn on Inventory, which runs `holder`; the longest, `order`, for 1.100 s"
        #expect(texts(later(1100, trace)) == [text])
        #expect(texts(later(500, trace)).isEmpty)
    }

    @Test("A crowded executor names the line of the call before the task that it runs, whose name may end with a line")
    func placeOfTheCall() {
        var trace = TraceBuilder()
        let actor = trace.executor("Inventory", .actor)
        let calls = trace.code(CodeSymbol(function: "order()", file: "Shop.swift", line: 26))
        let holder = trace.create(.unstructured, "reserve App.swift:24", on: actor)
        trace.enqueue(holder)
        trace.start(holder)
        for _ in 0..<12 {
            let task = trace.create(.unstructured, "order", on: actor)
            trace.suspend(task, .executor, in: calls)
            trace.enqueue(task)
        }
        let what = "12 tasks wait at Shop.swift:26 for a turn on Inventory, which runs `reserve App.swift:24`"
        #expect(texts(later(1100, trace)) == ["\(what); the longest, `order`, for 1.100 s"])
    }

    @Test("Blocks that crowd a queue are called blocks")
    func blocks() {
        var trace = TraceBuilder()
        let queue = trace.executor("db", .queue)
        for number in 0..<13 {
            let block = trace.block("query(_:)", on: queue)
            if number == 0 { trace.start(block, on: queue) }
        }
        #expect(texts(later(1100, trace)).contains { $0.hasPrefix("12 blocks wait for a turn on db, ") }, "\(texts(later(1100, trace)))")
    }
}
