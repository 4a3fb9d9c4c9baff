import TaskEvents
import Testing
import TraceStore

/// The busy times of executors, compared with a program that measures them itself.
@Suite(.serialized)
struct TimesTests {
    private static func run(_ mode: String, _ build: ProgramBuild = .debug) async throws -> WatchedRun {
        let run = try await WatchedRun(build.program("Times"), [mode])
        #expect(run.status == 0)
        #expect(run.lost == 0)
        return run
    }

    private static func busy(_ name: String, _ store: TraceStore) -> Double {
        Double(store.executors.filter { $0.name == name }.reduce(0) { $0 + ($1.busy ?? 0) })
    }

    @Test(
        "An actor's busy time is that of the program's books, within three percent",
        arguments: ["calls", "mixed", "started-on-actor", "inner"], [ProgramBuild.debug, .release])
    func actors(_ mode: String, _ build: ProgramBuild) async throws {
        let run = try await Self.run(mode, build)
        let store = run.store
        let wall = Double(try #require(run.counts["wall"]))
        let coreless = Double(try #require(run.counts["coreless"]))
        for name in ["Kitchen", "Office"] {
            let booked = Double(try #require(run.counts[name]))
            let busy = Self.busy(name, store)
            // Tasks that contend for an actor also spend time there that the program does not count: each wakes the next task.
            let most = 0.03 * (mode == "calls" ? booked : wall) + coreless
            #expect(abs(busy - booked) <= most, "\(name): \(busy) of \(booked), \(coreless) without a core")
            #expect(busy <= wall)
        }
        let walked = Double(try #require(run.counts["street"]))
        let booked = walked + Double(try #require(run.counts["Kitchen"])) + Double(try #require(run.counts["Office"]))
        let global = Self.busy("global", store)
        #expect(global >= walked * 0.97 - coreless)
        // Tasks that contend for an actor wake one another off the actor. A single task does little outside its counted time.
        if mode == "calls" { #expect(global <= 0.05 * booked + coreless, "\(global) of \(walked)") }
        expectLimits(store)
    }

    @Test(
        "No actor is busier than the time that passed, and no executor busier than its jobs can have been",
        arguments: ["hot", "reentrant"], [ProgramBuild.debug, .release])
    func limits(_ mode: String, _ build: ProgramBuild) async throws { expectLimits(try await Self.run(mode, build).store) }

    private func expectLimits(_ store: TraceStore) {
        for executor in store.executors {
            #expect((executor.busy ?? .max) <= UInt64(executor.jobs) * (executor.longestJob?.nanoseconds ?? 0), "\(executor.name)")
            #expect((executor.busy ?? .max) <= UInt64(executor.threads) * store.now, "\(executor.name)")
        }
    }

    @Test("A task that left an actor without waiting ends on the executor that it went to", arguments: [("hot", 6), ("queued", 1)])
    func lastExecutor(shape: String, leavers: Int) async throws {
        let run = try await Self.run(shape)
        var left: [TaskID: ExecutorID] = [:]
        var ends = 0
        for event in run.events {
            switch event.kind {
            case .started: left[event.task] = nil
            case .hopped: left[event.task] = event.detail == HopManner.left.rawValue ? event.executor : nil
            case .completed:
                guard let executor = left[event.task] else { continue }
                #expect(event.executor == executor)
                ends += 1
            case _: break
            }
        }
        #expect(ends == leavers)
    }

    @Test("Each long stay on an actor is a job of the actor with the right times")
    func stays() async throws {
        let run = try await Self.run("calls")
        let store = run.store
        let kitchen = try #require(store.executors.first { $0.name == "Kitchen" })
        var stays: [JobRecord] = []
        store.jobs.forEach(in: 0...UInt64.max) { job in
            if job.executor == kitchen.id, job.duration >= 970_000 { stays.append(job) }
            return true
        }
        #expect(stays.count == run.counts["Kitchen-visits"])
        #expect(zip(stays, stays.dropFirst()).allSatisfy { $0.until <= $1.since })
        let longest = Double(try #require(stays.map(\.duration).max()))
        #expect(abs(Double(kitchen.longestJob?.nanoseconds ?? 0) - longest) <= 0.03 * longest)
    }

    @Test("Every hop onto a free actor is counted, however short the stay")
    func counts() async throws {
        let run = try await Self.run("short")
        let store = run.store
        func hops(to name: String) -> UInt64 {
            run.events.filter { $0.kind == .hopped && $0.detail == HopManner.inline.rawValue }
                .filter { store.description(of: $0.executor).name == name }.reduce(0) { $0 + InlineHops($1.other).count }
        }
        #expect(hops(to: "Kitchen") == 1_000_000)
        #expect(hops(to: "global") == 0, "leaving an actor is no hop")
        // A million stays of some nanoseconds: the actor gets its share of the time, and the shares add up to the whole time at most.
        let wall = Double(try #require(run.counts["wall"]))
        let (kitchen, global) = (Self.busy("Kitchen", store), Self.busy("global", store))
        #expect(kitchen > 0.1 * wall)
        #expect(kitchen + global <= 1.01 * wall)
        #expect(run.events.count < 20_000)
    }

    @Test("Short stays on two free actors in turn are recorded together, too")
    func pair() async throws {
        let run = try await Self.run("pair")
        let store = run.symbolized.store
        let hops = run.events.filter { $0.kind == .hopped && $0.detail == HopManner.inline.rawValue }
        // A record of many hops has the place where the task goes on.
        let many = hops.filter { InlineHops($0.other).count == 256 }
        #expect(!many.isEmpty && many.allSatisfy { store.symbol(ofCall: $0.label)?.file == "Times.swift" })
        for (from, to) in [("Kitchen", "Office"), ("Office", "Kitchen")] {
            let found = hops.filter {
                store.description(of: $0.executor).name == to && store.description(of: InlineHops($0.other).from).name == from
            }
            #expect(found.reduce(0) { $0 + InlineHops($1.other).count } == 100_000, "from \(from) to \(to)")
            #expect(found.count < 2000, "from \(from) to \(to): \(found.count) records")
        }
    }
}
