import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceAnalysis

/// The answers to changes that were not made, compared with traces in which they were.
@Suite struct WhatIfTests {
    /// A server in virtual time: requests arrive, work in a pool without a limit, and then save in a store that runs `width` at once.
    struct Server {
        var requests = 400
        var width = 1
        /// Microseconds between two requests, of work, and of saving. Each varies by up to a half of it.
        var arrival: UInt64 = 100
        var work: UInt64 = 200
        var save: UInt64 = 80
        /// Microseconds that a request sleeps before it ends.
        var sleep: UInt64 = 0
        var seed: UInt64 = 1

        private struct Moment {
            let time: UInt64
            let emit: (inout TraceBuilder) -> Void
        }

        func trace() -> TraceBuilder {
            var random = SeededGenerator(seed: seed)
            func vary(_ microseconds: UInt64) -> UInt64 { UInt64.random(in: microseconds * 500...microseconds * 1500, using: &random) }
            // Drawn in a fixed order, so that a change changes nothing else.
            var plans: [(arrival: UInt64, work: UInt64, save: UInt64)] = []
            var time: UInt64 = 1000
            for _ in 0..<requests {
                time += vary(100) * arrival / 100
                plans.append((time, vary(100) * work / 100, vary(100) * save / 100))
            }
            let saves = plans.indices.sorted { plans[$0].arrival + plans[$0].work < plans[$1].arrival + plans[$1].work }
            var free = Array(repeating: 0 as UInt64, count: width)
            var starts = Array(repeating: 0 as UInt64, count: requests)
            for index in saves {
                let thread = free.indices.min { free[$0] < free[$1] } ?? 0
                starts[index] = max(free[thread], plans[index].arrival + plans[index].work)
                free[thread] = starts[index] + plans[index].save
            }
            return emit(plans, starts)
        }

        private func emit(_ plans: [(arrival: UInt64, work: UInt64, save: UInt64)], _ starts: [UInt64]) -> TraceBuilder {
            var trace = TraceBuilder()
            let pool = trace.executor("pool", .pool)
            let store = trace.executor("Store", .queue)
            var moments: [Moment] = []
            for (index, plan) in plans.enumerated() {
                let lane = UInt16(index)
                let request = TaskID(rawValue: UInt64(index * 2 + 1))
                let save = TaskID(rawValue: request.rawValue + 1)
                moments.append(
                    Moment(time: plan.arrival) { trace in
                        trace.lane = lane
                        trace.created(request, .root, "request", on: pool, line: 10)
                        trace.enqueue(request)
                        trace.start(request)
                    })
                let worked = plan.arrival + plan.work
                moments.append(
                    Moment(time: worked) { trace in
                        trace.lane = lane
                        trace.created(save, .continuation, "save", of: [request], on: store, line: 20)
                        trace.complete(request)
                        trace.enqueue(save)
                        trace.endJob(request)
                    })
                moments.append(
                    Moment(time: starts[index]) { trace in
                        trace.lane = lane
                        trace.start(save)
                    })
                moments.append(
                    Moment(time: starts[index] + plan.save + sleep * 1000) { trace in
                        trace.lane = lane
                        trace.complete(save)
                    })
                if sleep == 0 {
                    moments.append(
                        Moment(time: starts[index] + plan.save) { trace in
                            trace.lane = lane
                            trace.endJob(save)
                        })
                } else {
                    moments.append(
                        Moment(time: starts[index] + plan.save) { trace in
                            trace.lane = lane
                            trace.suspend(save, .awaiting)
                            trace.endJob(save)
                        })
                }
            }
            for moment in moments.enumerated().sorted(by: { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }).map(\.element) {
                trace.advance(nanoseconds: moment.time - trace.now)
                moment.emit(&trace)
            }
            return trace
        }
    }

    private func answer(_ change: String, _ trace: TraceBuilder, madeAt place: String? = nil) throws -> WhatIf {
        try WhatIf(try #require(Change(change)), trace.store(retention: Retention(endedTasks: .max)), trace.steps(), madeAt: place)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let change: String
        let server: @Sendable (inout Server) -> Void
        let changed: @Sendable (inout Server) -> Void

        var testDescription: String { change }

        init(_ change: String, _ server: @escaping @Sendable (inout Server) -> Void, _ changed: @escaping @Sendable (inout Server) -> Void)
        {
            (self.change, self.server, self.changed) = (change, server, changed)
        }
    }

    static let cases = [
        Case("main.swift:20 2x faster", { $0.save = 80 }, { $0.save = 40 }),
        Case("main.swift:20 2x faster", { $0.save = 120 }, { $0.save = 60 }),
        Case("main.swift:20 1.25x slower", { $0.save = 80 }, { $0.save = 100 }),
        Case("main.swift:20 4x faster", { ($0.save, $0.sleep) = (80, 300) }, { $0.save = 20 }),
        Case("main.swift:10 2x faster", { $0.work = 1000 }, { $0.work = 500 }),
        Case("main.swift:10 2x slower", { $0.work = 100 }, { $0.work = 200 }),
        Case("main.swift:10 4x faster", { ($0.work, $0.save) = (400, 99) }, { $0.work = 100 }),
        Case("Store width 2", { $0.save = 95 }, { $0.width = 2 }),
        Case("Store width 4", { $0.save = 200 }, { $0.width = 4 }),
        Case("Store width 1", { ($0.save, $0.width) = (80, 2) }, { $0.width = 1 }),
    ]

    @Test("The median and the 99th percentile are within 15 % of those of the changed program, with the right sign", arguments: cases)
    func changes(of example: Case) throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var server = Server(seed: seed)
            example.server(&server)
            let answer = try answer(example.change, server.trace())
            var changed = server
            example.changed(&changed)
            let real = try self.answer("Store width \(changed.width)", changed.trace()).base
            for (base, new, real) in [(answer.base.median, answer.new.median, real.median), (answer.base.p99, answer.new.p99, real.p99)] {
                #expect(abs(Double(new) - Double(real)) <= Double(real) * 0.15, "predicted \(new), in truth \(real), before \(base)")
                if max(base, real) - min(base, real) > real / 20 { #expect((new > base) == (real > base)) }
            }
            #expect(answer.timed == "\(server.requests) chains")
        }
    }

    @Test("A group's wait ends with the last of its children, whichever that is after the change", arguments: [(3, 11), (1.25, 14)])
    func group(speed: Double, milliseconds: UInt64) throws {
        var trace = TraceBuilder()
        let pool = trace.executor("workers", .custom)
        let task = trace.create(.unstructured, "request", on: pool, line: 10)
        trace.start(task, .slice)
        let slow = trace.create(.groupChild, "slow", of: [task], on: pool, line: 20)
        let other = trace.create(.groupChild, "other", of: [task], on: pool, line: 30)
        for child in [slow, other] { trace.enqueue(child) }
        trace.suspend(task, .group)
        for (lane, child) in [slow, other].enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.start(child, .slice)
        }
        func takeOn() {
            trace.lane = 0
            trace.emit(TaskEvent(.enqueued, task: task, executor: pool))
            trace.start(task, .slice)
        }
        trace.advance(milliseconds: 9)
        trace.lane = 2
        trace.complete(other)
        takeOn()
        trace.suspend(task, .group)
        trace.advance(milliseconds: 6)
        trace.lane = 1
        trace.complete(slow)
        takeOn()
        trace.advance(milliseconds: 2)
        trace.complete(task)
        let answer = try answer("main.swift:20 \(speed)x faster", trace)
        #expect(answer.base.p99 == 17_000_000 && answer.new.p99 == milliseconds * 1_000_000)
        // The three tasks are one chain; a place chooses some of them.
        #expect(answer.timed == "1 chain")
        let requests = try self.answer("main.swift:20 \(speed)x faster", trace, madeAt: "main.swift:10")
        #expect(requests.timed == "1 task" && requests.base.median == 17_000_000 && requests.new.median == milliseconds * 1_000_000)
        let others = try self.answer("main.swift:20 \(speed)x faster", trace, madeAt: "main.swift:30")
        #expect(others.base.median == 9_000_000 && others.new == others.base)
        #expect(throws: WhatIf.Refusal(text: "No ended task of the trace was made at 'main.swift:99'.", isMisnamed: true)) {
            try self.answer("main.swift:20 2x faster", trace, madeAt: "main.swift:99")
        }
    }

    @Test("An executor of which the trace shows no two jobs at once, and no wait for a turn, has no limit; a timer's own task is no chain")
    func uncrowded() throws {
        var trace = TraceBuilder()
        let workers = trace.executor("workers", .custom)
        for _ in 0..<10 {
            let task = trace.create(.unstructured, "request", on: workers, line: 10)
            trace.enqueue(task)
            trace.advance(milliseconds: 1)
            trace.start(task, .slice)
            trace.advance(milliseconds: 8)
            trace.complete(task)
            let timer = trace.create(.internal)
            trace.start(timer, .slice)
            trace.complete(timer)
            trace.advance(milliseconds: 1)
        }
        let answer = try answer("main.swift:10 2x slower", trace)
        #expect(answer.timed == "10 chains" && answer.base.median == 9_000_000)
        #expect([answer.new.median, answer.new.p99] == [17_000_000, 17_000_000])
    }

    @Test("A task that sleeps goes on so long after it began to sleep, and not at the recorded time")
    func sleeper() throws {
        var trace = TraceBuilder()
        let workers = trace.executor("workers", .custom)
        let task = trace.create(.unstructured, "request", on: workers, line: 10)
        trace.start(task, .slice)
        trace.advance(milliseconds: 6)
        trace.suspend(task, .continuation)
        trace.advance(milliseconds: 4)
        let timer = trace.create(.internal)
        trace.start(timer, .slice)
        trace.enqueue(task, by: timer)
        trace.complete(timer)
        trace.start(task, .slice)
        trace.advance(milliseconds: 6)
        trace.complete(task)
        let answer = try answer("main.swift:10 2x faster", trace)
        #expect(answer.base.p99 == 16_000_000 && answer.new.p99 == 10_000_000)
    }

    @Test("Short waits for a thread of the pool are no limit where the chains took their time elsewhere")
    func shortWaits() throws {
        var trace = TraceBuilder()
        let (pool, workers) = (trace.executor("global", .global), trace.executor("workers", .custom))
        for _ in 0..<10 {
            let task = trace.create(.unstructured, "start", on: pool, line: 10)
            trace.enqueue(task)
            trace.advance(nanoseconds: 50_000)
            trace.start(task, .slice)
            trace.advance(nanoseconds: 10_000)
            trace.complete(task)
            let work = trace.create(.unstructured, "work", on: workers, line: 20)
            trace.enqueue(work)
            trace.start(work, .slice)
            trace.advance(milliseconds: 8)
            trace.complete(work)
        }
        #expect(try answer("main.swift:20 2x faster", trace).new.p99 == 4_000_000)
    }

    @Test("Times that a change makes longer than any trace have a bound")
    func longest() throws {
        var trace = TraceBuilder()
        let outer = trace.create(.unstructured, "outer")
        trace.start(outer, .inline)
        for _ in 0..<4 {
            let inner = trace.create(.asyncLet, "inner", of: [outer])
            trace.start(inner, .inline)
            trace.advance(nanoseconds: 1 << 54)
            trace.complete(inner)
        }
        trace.complete(outer)
        let answer = try answer("main.swift:1 1000000x slower", trace)
        #expect(answer.base.p99 == 1 << 56)
        #expect(answer.new.p99 > 1 << 61)
    }

    @Test("There is no answer where the kernel had no processors for the jobs")
    func runnable() throws {
        var trace = TraceBuilder()
        trace.takeLane(thread: 42)
        let workers = trace.executor("workers", .custom)
        let task = trace.create(.unstructured, "work", on: workers)
        trace.start(task, .slice)
        trace.advance(milliseconds: 10)
        trace.complete(task)
        var profile = ThreadProfile(hertz: 99)
        for (time, kind) in [(0, .resumed), (2, .preempted), (5, .resumed)] as [(UInt64, ThreadProfile.Kind)] {
            profile.append(.init(time: time * 1_000_000, thread: 42, kind: kind))
        }
        let change = try #require(Change("main.swift:1 2x faster"))
        #expect(throws: WhatIf.Refusal(text: "The processors were the limit: jobs were without one for 30 % of their time.")) {
            try WhatIf(change, trace.store(), trace.steps(profile))
        }
    }

    @Test("There is no answer if a task that wakes all that wait when it runs would come before they wait")
    func batches() throws {
        var trace = TraceBuilder()
        let workers = trace.executor("workers", .custom)
        let flusher = trace.create(.unstructured, "flusher", on: workers, line: 20)
        for _ in 0..<3 {
            let requests = (0..<2).map { _ in trace.create(.unstructured, "request", on: workers, line: 10) }
            trace.lane = 0
            trace.start(flusher, .slice)
            trace.advance(milliseconds: 6)
            trace.lane = 1
            for request in requests {
                trace.start(request, .slice)
                trace.advance(milliseconds: 1)
                trace.suspend(request, .continuation)
            }
            trace.advance(milliseconds: 2)
            trace.lane = 0
            for request in requests { trace.enqueue(request, by: flusher) }
            trace.suspend(flusher, .awaiting)
            trace.lane = 1
            for request in requests {
                trace.start(request, .slice)
                trace.advance(milliseconds: 1)
                trace.complete(request)
            }
            trace.enqueue(flusher)
        }
        #expect(try answer("main.swift:10 1x faster", trace).timed == "6 chains")
        let text = "`flusher` resumes whatever waits when it runs, and with the change that would be other tasks."
        #expect(throws: WhatIf.Refusal(text: text)) { try answer("main.swift:20 4x faster", trace) }
    }

    @Test("Without a change, the prediction is the recorded time")
    func same() throws {
        let answer = try answer("Store width 1", Server().trace())
        #expect(answer.new == answer.base)
    }

    @Test("There is no answer where the processors were the limit, where records were lost, and for what the trace does not have")
    func refusals() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("global", .global)
        let tasks = (0..<10).map { _ in trace.create(.detached, "task", on: pool) }
        for task in tasks { trace.enqueue(task) }
        for task in tasks {
            trace.advance(milliseconds: 1)
            trace.start(task, .slice)
            trace.advance(milliseconds: 10)
            trace.complete(task)
        }
        #expect(throws: WhatIf.Refusal(text: "The processors were the limit: jobs waited for global while all its threads ran.")) {
            try answer("main.swift:1 2x faster", trace)
        }
        var lossy = Server(requests: 3).trace()
        lossy.lose(2)
        #expect(throws: WhatIf.Refusal(text: "2 records of the trace were lost.")) { try answer("Store width 2", lossy) }
        var open = TraceBuilder()
        let serial = open.executor("Store", .actor)
        let task = open.create(.detached, "serve", on: serial)
        open.enqueue(task)
        open.start(task, .slice)
        let noChain = "No chain of the trace has ended, so none has a time to compare; '--where' times the tasks of a place."
        #expect(throws: WhatIf.Refusal(text: noChain)) {
            try answer("Store width 2", open)
        }
        let whole = Server(requests: 3).trace()
        #expect(throws: WhatIf.Refusal(text: "No job ran on an executor 'Sore'.", isMisnamed: true)) { try answer("Sore width 2", whole) }
        #expect(throws: WhatIf.Refusal(text: "No task that ran was made at 'x.swift:1'.", isMisnamed: true)) {
            try answer("x.swift:1 2x faster", whole)
        }
    }

    @Test("Changes are read, and other texts are not")
    func spelling() {
        #expect(Change("App/My File.swift:12 2x faster")?.kind == .speed(place: "App/My File.swift:12", 2))
        #expect(Change("App.swift:12 4x slower")?.kind == .speed(place: "App.swift:12", 0.25))
        #expect(Change("com.example.db width 4")?.kind == .width(executor: "com.example.db", 4))
        for text in ["", "width 4", "Store width", "Store width 0", "Store width x", "App.swift:12 0x faster", "App.swift:12 2 faster"]
            + ["App.swift:12 1e12x slower", "App.swift:12 1e-310x faster"]
        {
            #expect(Change(text) == nil, "\(text)")
        }
    }
}
