import InspectorTestKit
import TaskEvents
import Testing
import TraceLayout
import TraceStore

/// The places of jobs in a timeline.
@Suite struct SwimlanesTests {
    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func everyColumnShowsTheJobThatRanThere(seed: UInt64) throws {
        let program = RandomTrace(seed: seed, tasks: 300)
        let store = program.trace.store()
        var jobs: [JobRecord] = []
        store.jobs.forEach(in: 0...store.now) { job in
            jobs.append(job)
            return true
        }
        #expect(jobs.count > 20)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let start = UInt64.random(in: 0..<store.now, using: &random)
            let scale = TimeScale(start: start, span: UInt64.random(in: 1...store.now, using: &random), columns: 60)
            let lanes = Swimlanes(store, scale: scale, grouping: .executors)
            for job in jobs where job.until > scale.start && job.since < scale.end {
                let index = try #require(lanes.index(of: SwimTrack.ID(executor: job.executor, lane: Int(job.lane))))
                let track = lanes.tracks[index]
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
        for _ in 0..<50 { trace.run(trace.root("job", on: net), after: 1, milliseconds: 3) }
        let store = trace.store()
        let lanes = Swimlanes(store, scale: TimeScale(start: 0, span: store.now, columns: 37), grouping: .threads)
        #expect(lanes.tracks.count == 1)
        #expect(lanes.tracks[0].cells.reduce(0) { $0 + $1.busy } == 150_000_000)
    }

    @Test func waitsAndQueuesAreThinLines() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let task = trace.root("job", on: net)
        trace.run(task, after: 50, milliseconds: 40)
        trace.enqueue(trace.root("waiting", on: net))
        trace.advance(milliseconds: 10)
        let store = trace.store()
        store.advance(to: 100_000_000)
        let lanes = Swimlanes(store, scale: TimeScale(start: 0, span: 100_000_000, columns: 10), grouping: .executors)
        #expect(lanes.tracks.map(\.id.lane) == [0, nil])
        #expect(lanes.tracks[0].cells.map(\.isWaiting) == Array(repeating: true, count: 5) + Array(repeating: false, count: 5))
        #expect(lanes.tracks[0].cells.map { $0.bar != nil } == (0..<10).map { (5..<9).contains($0) })
        #expect(lanes.tracks[1].cells.map(\.isWaiting) == (0..<10).map { $0 == 9 })
    }

    @Test func aChainsHopsLeadFromLineToLine() throws {
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
        let lanes = Swimlanes(store, scale: scale, grouping: .executors, chain: [load, show])
        let arrow = try #require(lanes.arrows.first)
        #expect(lanes.arrows.count == 1)
        #expect(lanes.tracks[arrow.from].id == SwimTrack.ID(executor: net, lane: 1))
        #expect(lanes.tracks[arrow.to].id == SwimTrack.ID(executor: main, lane: 0))
        #expect(arrow.column == 10)
        #expect(Swimlanes(store, scale: scale, grouping: .executors).arrows.isEmpty)
    }

    @Test func aRunningJobReachesToNow() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("long", on: main)
        trace.enqueue(task)
        trace.start(task)
        let store = trace.store()
        store.advance(to: 80_000_000)
        let lanes = Swimlanes(store, scale: TimeScale(start: 0, span: 100_000_000, columns: 10), grouping: .executors)
        let bar = try #require(lanes.bar(track: 0, column: 7))
        #expect(bar.isRunning && bar.columns == 0..<8)
        #expect(lanes.bar(track: 0, column: 8) == nil)
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
