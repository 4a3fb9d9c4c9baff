import TaskEvents
import Testing
import TraceLayout
import TraceStore
import TraceTestKit

/// The places of jobs in a timeline.
@Suite struct SwimlanesTests {
    private static func index(_ store: TraceStore, _ grouping: SwimlaneGrouping = .executors) -> SwimIndex {
        var index = SwimIndex(grouping)
        repeat { index.catchUp(with: store, limit: 64) } while !index.isUpToDate(with: store)
        return index
    }

    private static func all(
        _ store: TraceStore, _ scale: TimeScale, _ grouping: SwimlaneGrouping = .executors, selected: JobRecord? = nil
    ) -> Swimlanes {
        let index = index(store, grouping)
        return Swimlanes(store, index, rows: index.rows.indices, scale: scale, selected: selected)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func everyColumnShowsTheJobThatRanThere(seed: UInt64) throws {
        let program = RandomTrace(seed: seed, tasks: 300)
        let store = program.trace.store()
        var jobs: [JobRecord] = []
        store.jobs.forEach(in: 0...store.now) { job in
            jobs.append(job)
            return true
        }
        #expect(jobs.count > 20)
        let index = Self.index(store)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let start = UInt64.random(in: 0..<store.now, using: &random)
            let scale = TimeScale(start: start, span: UInt64.random(in: 1...store.now, using: &random), columns: 60)
            let lanes = Swimlanes(store, index, rows: index.rows.indices, scale: scale)
            for job in jobs where job.until > scale.start && job.since < scale.end {
                let row = try #require(index.row(of: job.executor, lane: Int(job.lane)))
                let track = try #require(lanes.track(atRow: row))
                let first = max(0, scale.column(of: job.since))
                #expect(track.cells[first].bar != nil)
                guard let bar = track.bars.first(where: { $0.job == job }) else {
                    // A column with several jobs shows the longest.
                    #expect(track.bars.contains { $0.columns == first..<first + 1 && $0.job.duration >= job.duration })
                    continue
                }
                #expect(bar.columns.lowerBound == first)
                for column in bar.columns {
                    #expect(job.since < scale.time(of: column + 1) && job.until >= scale.time(of: column))
                    #expect(track.cells[column].bar != nil)
                }
            }
            for track in lanes.tracks {
                for (column, cell) in track.cells.enumerated() {
                    if let bar = cell.bar { #expect(track.bars[bar].columns.contains(column)) }
                    #expect(cell.busy == 0 || cell.bar != nil)
                }
            }
        }
    }

    @Test func busyTimeIsDividedAmongColumnsWithoutLoss() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        for _ in 0..<500 { trace.run(trace.root("job", on: net), after: 1, milliseconds: 3) }
        let store = trace.store()
        for columns in [1, 7, 37, 200, 1000] {
            let lanes = Self.all(store, TimeScale(start: 0, span: store.now, columns: columns), .threads)
            #expect(lanes.tracks.count == 1)
            #expect(lanes.tracks[0].cells.reduce(0) { $0 + $1.busy } == 1_500_000_000, "\(columns) columns")
        }
    }

    @Test func aSerialExecutorHasOneLaneAndAPoolOnePerThread() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let pool = trace.executor("pool", .pool)
        let actor = trace.executor("counter", .actor)
        for lane: UInt16 in [0, 3, 5] {
            trace.lane = lane
            for executor in [pool, actor, main] { trace.run(trace.root("job", on: executor), milliseconds: 2) }
        }
        let rows = Self.index(trace.store()).rows
        #expect(
            rows == [
                .executor(main), .thread(pool, lane: 0), .thread(pool, lane: 3), .thread(pool, lane: 5), .executor(actor),
            ])
    }

    @Test func aQueueHasOneLaneUntilTwoOfItsJobsRunAtOnce() {
        var trace = TraceBuilder()
        let queue = trace.executor("net", .queue)
        for lane: UInt16 in [1, 2] {
            trace.lane = lane
            trace.run(trace.root("alone", on: queue), milliseconds: 2)
        }
        #expect(Self.index(trace.store()).rows == [.executor(queue)])
        let tasks = [trace.root("first", on: queue), trace.root("second", on: queue)]
        for (lane, task) in zip([1, 2] as [UInt16], tasks) {
            trace.lane = lane
            trace.enqueue(task)
            trace.start(task)
            trace.advance(milliseconds: 1)
        }
        #expect(Self.index(trace.store()).rows.prefix(2) == [.thread(queue, lane: 1), .thread(queue, lane: 2)])
        for (lane, task) in zip([1, 2] as [UInt16], tasks) {
            trace.lane = lane
            trace.complete(task)
            trace.endJob(task)
            trace.advance(milliseconds: 1)
        }
        let store = trace.store()
        let lanes = Self.all(store, TimeScale(start: 0, span: store.now + 1, columns: 20))
        #expect(lanes.tracks.filter { !$0.id.isQueue }.map { $0.bars.count } == [2, 2])
    }

    @Test func aQueuesDepthIsBeneathItsLane() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let task = trace.root("job", on: net)
        trace.run(task, after: 50, milliseconds: 40)
        trace.enqueue(trace.root("waiting", on: net))
        trace.enqueue(trace.root("waiting too", on: net))
        trace.advance(milliseconds: 10)
        let store = trace.store()
        store.advance(to: 99_999_999)
        let lanes = Self.all(store, TimeScale(start: 0, span: 200_000_000, columns: 20))
        #expect(lanes.tracks.map(\.id) == [.thread(net, lane: 0), .queue(net)])
        let depths: [UInt32?] = [1, 1, 1, 1, 1, 1, 0, 0, 0, 2] + Array(repeating: nil, count: 10)
        #expect(lanes.tracks[1].depths == depths)
        #expect(lanes.tracks[0].cells.map { $0.bar != nil } == (0..<20).map { (5..<9).contains($0) })
    }

    @Test(arguments: [UInt64(1), 2, 3]) func depthsEqualThoseOfACount(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        var queue: [TaskID] = []
        var steps: [(at: UInt64, depth: UInt32)] = []
        for _ in 0..<400 {
            trace.advance(milliseconds: UInt64.random(in: 1...5, using: &random))
            if queue.isEmpty || Bool.random(using: &random) {
                queue.append(trace.root("job", on: net))
                trace.enqueue(queue[queue.count - 1])
            } else {
                trace.start(queue.removeFirst())
            }
            steps.append((trace.events[trace.events.count - 1].time, UInt32(queue.count)))
        }
        let store = trace.store()
        for columns in [1, 13, 400] {
            let scale = TimeScale(start: store.now / 3, span: store.now / 2, columns: columns)
            let depths = Self.all(store, scale).tracks.last?.depths
            let counted = (0..<columns).map { column -> UInt32 in
                let (start, end) = (scale.time(of: column), scale.time(of: column + 1))
                let before = steps.last { $0.at < start }?.depth ?? 0
                return steps.filter { $0.at >= start && $0.at < end }.reduce(before) { max($0, $1.depth) }
            }
            #expect(depths == counted, "\(columns) columns")
        }
    }

    @Test func onlyTheSelectedJobsHopsLeadFromLaneToLane() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .pool)
        trace.lane = 1
        let load = trace.root("load", on: net)
        trace.run(load, milliseconds: 10)
        trace.lane = 0
        let show = trace.continuation("show", of: load, on: main)
        trace.hop(show, from: net)
        trace.run(show, after: 5, milliseconds: 10)
        let store = trace.store()
        let scale = TimeScale(start: 0, span: store.now, columns: 25)
        let index = Self.index(store)
        let started = try #require(store.task(show)?.started)
        let job = try #require(index.job(of: show, startedAt: started, on: main, lane: 0))
        let lanes = Self.all(store, scale, selected: job)
        let arrow = try #require(lanes.arrows.first)
        #expect(lanes.arrows.count == 1)
        #expect(index.rows[arrow.from] == .thread(net, lane: 1))
        #expect(index.rows[arrow.to] == .executor(main))
        #expect(arrow.column == 10 && arrow.wait == 10..<15)
        #expect(Self.all(store, scale).arrows.isEmpty)
    }

    @Test("Lines lead from the job that makes a block to the block, and from the block to the job of the task that it resumes")
    func linesThroughBlocks() throws {
        var trace = TraceBuilder()
        let (pool, queue) = (trace.executor("global", .global), trace.executor("db", .queue))
        trace.lane = 1
        let load = trace.create(.detached, "load")
        trace.enqueue(load, on: pool)
        trace.advance(milliseconds: 10)
        // Two rounds of 60 ms: 10 of the task, 20 in which its block waits, 20 of the block, which resumes the task in its middle. The
        // store keeps no time of that, so the line is at the block's end.
        var blocks: [TaskID] = []
        for _ in 0..<2 {
            trace.start(load, .slice, on: pool)
            trace.advance(milliseconds: 10)
            let block = trace.block("query", on: queue, by: load)
            trace.suspend(load, .continuation)
            trace.advance(milliseconds: 20)
            trace.lane = 2
            trace.start(block, .slice, on: queue)
            trace.advance(milliseconds: 10)
            trace.enqueue(load, on: pool, by: block)
            trace.advance(milliseconds: 10)
            trace.complete(block)
            blocks.append(block)
            trace.lane = 1
            trace.advance(milliseconds: 10)
        }
        trace.start(load, .slice, on: pool)
        trace.advance(milliseconds: 10)
        trace.complete(load)
        let store = trace.store()
        let scale = TimeScale(start: 0, span: store.now, columns: 14)
        let index = Self.index(store)
        func lines(_ task: TaskID, from column: UInt64) throws -> Set<String> {
            let (executor, lane) = task == load ? (pool, 1) : (queue, 2)
            let job = try #require(index.job(of: task, startedAt: column * 10_000_000, on: executor, lane: lane))
            func name(_ row: Int) -> String { index.rows[row].executor == queue ? "db" : "global" }
            return Set(
                Self.all(store, scale, selected: job).arrows.map { arrow in
                    #expect(arrow.column == arrow.wait.lowerBound)
                    return "\(name(arrow.from)) → \(name(arrow.to)) in \(arrow.wait)"
                })
        }
        #expect(try lines(load, from: 1) == ["global → db in 2..<4"])
        #expect(try lines(blocks[0], from: 4) == ["global → db in 2..<4", "db → global in 6..<7"])
        #expect(try lines(load, from: 7) == ["db → global in 6..<7", "global → db in 8..<10"])
        #expect(try lines(blocks[1], from: 10) == ["global → db in 8..<10", "db → global in 12..<13"])
        #expect(try lines(load, from: 13) == ["db → global in 12..<13"])
    }

    enum Doubt: CaseIterable {
        case none
        /// The task has run and suspended within the block's run.
        case otherJob
        case lostEvents
    }

    @Test("No line leads from a block to a job that another one may have been before", arguments: Doubt.allCases)
    func doubtfulLines(doubt: Doubt) throws {
        var trace = TraceBuilder()
        let (pool, queue) = (trace.executor("global", .global), trace.executor("db", .queue))
        let load = trace.create(.detached, "load")
        func run(load: TaskID, _ trace: inout TraceBuilder) {
            trace.lane = 1
            trace.start(load, .slice, on: pool)
            trace.advance(milliseconds: 10)
            trace.suspend(load, .continuation)
        }
        trace.enqueue(load, on: pool)
        run(load: load, &trace)
        let block = trace.block("query", on: queue)
        trace.lane = 2
        trace.start(block, .slice, on: queue)
        let started = trace.now
        trace.advance(milliseconds: 10)
        trace.enqueue(load, on: pool, by: block)
        if doubt == .otherJob {
            run(load: load, &trace)
            trace.enqueue(load, on: pool)
        }
        trace.lane = 2
        trace.advance(milliseconds: 10)
        trace.complete(block)
        if doubt == .lostEvents { trace.lose(3) }
        trace.advance(milliseconds: 10)
        run(load: load, &trace)
        let store = trace.store()
        let index = Self.index(store)
        let job = try #require(index.job(of: block, startedAt: started, on: queue, lane: 2))
        let lanes = Self.all(store, TimeScale(start: 0, span: store.now, columns: 10), selected: job)
        #expect(lanes.arrows.count == (doubt == .none ? 1 : 0))
    }

    @Test func aRunningJobReachesToNow() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("long", on: main)
        trace.enqueue(task)
        trace.start(task)
        let store = trace.store()
        store.advance(to: 80_000_000)
        let lanes = Self.all(store, TimeScale(start: 0, span: 100_000_000, columns: 10))
        let bar = try #require(lanes.bar(row: 0, column: 7))
        #expect(bar.isRunning && bar.columns == 0..<8)
        #expect(lanes.bar(row: 0, column: 8) == nil)
    }

    @Test func theNeighboursOfAJobAreInTheOrderOfTheirStarts() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        for _ in 0..<300 { trace.run(trace.root("job", on: main), after: 1, milliseconds: 1) }
        let index = Self.index(trace.store())
        var job = JobRecord(task: .none, since: 0, until: 0, executor: main, lane: 0)
        var starts: [UInt64] = []
        while let next = index.neighbour(of: job, on: .executor(main), isNext: true) {
            starts.append(next.since)
            job = next
        }
        #expect(starts.count == 300 && starts == starts.sorted())
        var back: [UInt64] = [job.since]
        while let next = index.neighbour(of: job, on: .executor(main), isNext: false) {
            back.append(next.since)
            job = next
        }
        #expect(back == starts.reversed())
    }

    @Test(arguments: [(1, 1), (3, 5), (5, 5), (6, 10), (17, 20), (1_000_001, 2_000_000)] as [(UInt64, UInt64)])
    func aSpanIsRoundedUpToOneTwoOrFive(number: UInt64, round: UInt64) {
        #expect(TimeScale.round(above: number) == round)
    }

    @Test func ticksAreRoundNumbersAtADistance() {
        let scale = TimeScale(start: 123_456, span: 1_000_000, columns: 100)
        let ticks = scale.ticks(every: 14)
        #expect(ticks == [200_000, 400_000, 600_000, 800_000, 1_000_000])
    }
}
