import TaskEvents
import Testing
import TraceLayout
import TraceStore
import TraceTestKit

/// The work for one picture of a timeline is bounded by its cells, whatever the trace.
@Suite struct SwimlanesWorkTests {
    enum Shape: CaseIterable {
        /// Jobs that follow one another.
        case sequence
        /// Most jobs in one moment, between two others.
        case crowd
        /// Bodies within bodies.
        case nested
        /// A damaged trace: jobs of a serial executor that all run at once and end one after another.
        case overlapping
        case manyExecutors
    }

    private static let count = 50_000

    private static func store(_ shape: Shape) -> TraceStore {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        switch shape {
        case .sequence:
            for _ in 0..<count { trace.run(trace.root("job", on: main), milliseconds: 1) }
        case .crowd:
            trace.run(trace.root("first", on: main), milliseconds: 1_000_000)
            for _ in 0..<count { trace.run(trace.root("job", on: main), milliseconds: 0) }
            trace.run(trace.root("last", on: main), milliseconds: 1_000_000)
        case .nested:
            for _ in 0..<count / 10 {
                let tasks = (0..<10).map { _ in trace.root("job", on: main) }
                for task in tasks {
                    trace.enqueue(task)
                    trace.start(task)
                    trace.advance(milliseconds: 1)
                }
                for task in tasks.reversed() {
                    trace.endJob(task)
                    trace.advance(milliseconds: 1)
                }
            }
        case .overlapping:
            let tasks = (0..<count).map { _ in trace.root("job", on: main) }
            for (lane, task) in tasks.enumerated() {
                trace.lane = UInt16(lane)
                trace.enqueue(task)
                trace.start(task)
                trace.advance(milliseconds: 1)
            }
            for (lane, task) in tasks.enumerated() {
                trace.lane = UInt16(lane)
                trace.endJob(task)
                trace.advance(milliseconds: 1)
            }
        case .manyExecutors:
            for number in 0..<count { trace.run(trace.root("job", on: trace.executor("actor \(number)", .actor)), milliseconds: 1) }
        }
        return trace.store()
    }

    @Test(arguments: Shape.allCases) func aPicturesWorkIsBoundedByItsCells(shape: Shape) {
        let store = Self.store(shape)
        #expect(store.jobs.total >= Self.count)
        var index = SwimIndex(.executors)
        repeat { index.catchUp(with: store, limit: 1 << 15) } while !index.isUpToDate(with: store)
        let (columns, height) = (180, 40)
        for zoom in [1, 16, 4096] {
            for part in [0, 1, 2] {
                let span = max(1, store.now / UInt64(zoom))
                let scale = TimeScale(start: (store.now - span) / 2 * UInt64(part), span: span, columns: columns)
                let lanes = Swimlanes(store, index, rows: 0..<height, scale: scale)
                let cells = lanes.tracks.count * columns
                #expect(lanes.work <= 160 * cells, "\(shape), zoom \(zoom), part \(part)")
                #expect(lanes.tracks.count <= height)
                if shape == .sequence { #expect(lanes.tracks[0].cells.allSatisfy { $0.bar != nil } || zoom > 1) }
            }
        }
    }

    @Test func jobsThatAreForgottenAreNotShownAsIdleTime() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        for _ in 0..<SwimIndex.limit + 5000 { trace.run(trace.root("job", on: main), milliseconds: 1) }
        let store = trace.store()
        var index = SwimIndex(.executors)
        repeat { index.catchUp(with: store, limit: 1 << 15) } while !index.isUpToDate(with: store)
        let forgotten = try #require(index.forgotten)
        let lanes = Swimlanes(
            store, index, rows: index.rows.indices, scale: TimeScale(start: forgotten, span: store.now - forgotten, columns: 100))
        #expect(lanes.tracks[0].cells.allSatisfy { $0.bar != nil })
        #expect(forgotten >= 4_000_000_000 && forgotten <= 8_000_000_000)
    }

    @Test func theMapHasTheLoadOfTheWholeTrace() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.run(trace.root("long", on: main), after: 500, milliseconds: 250)
        trace.run(trace.root("late", on: main), after: 250, milliseconds: 0)
        let store = trace.store()
        let loads = store.jobs.loads.load(until: 1_000_000_000, in: 20)
        #expect(loads.enumerated().allSatisfy { abs($1 - ((10..<15).contains($0) ? 1 : 0)) < 0.05 }, "\(loads)")
    }
}
