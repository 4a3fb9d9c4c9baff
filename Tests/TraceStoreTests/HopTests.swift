import TaskEvents
import Testing
import TraceStore
import TraceTransport

/// The store keeps a task's only hop without a record of its own as long as the task's facts imply it. Readers see no difference.
@Suite struct HopTests {
    private static let task = TaskID(rawValue: 1)
    private static let net = ExecutorID(rawValue: 1)
    private static let main = ExecutorID(rawValue: 2)

    /// All fields of a hop.
    private static func hop(
        from: ExecutorID = net, to: ExecutorID = main, at: UInt64 = 1000, _ manner: HopManner = .dispatched, wait: UInt64? = 500,
        count: Int = 1
    ) -> String {
        "\(from.rawValue) to \(to.rawValue) at \(at), \(manner), \(wait.map { "waited \($0)" } ?? "no wait"), \(count)"
    }

    private static func hops(of task: TaskView) -> [String] {
        task.hops.map { hop(from: $0.from, to: $0.to, at: $0.at, $0.manner, wait: $0.wait, count: $0.count) }
    }

    private static func event(
        _ kind: EventKind, _ time: UInt64, _ executor: ExecutorID = main, other: UInt64 = 0, detail: UInt8 = 0
    ) -> TaskEvent {
        TaskEvent(kind, task: task, at: time, other: other, executor: executor, detail: detail)
    }

    /// A task that hops, waits for 500 ns and runs.
    private static func job(_ hop: TaskEvent, enqueued: UInt64 = 1000) -> [TaskEvent] {
        [event(.created, 100), hop, event(.enqueued, enqueued), event(.started, enqueued + 500)]
    }

    private static let hopped = event(.hopped, 1000, other: UInt64(net.rawValue))

    private static func job(number: Int) -> [TaskEvent] {
        let time = UInt64(number) * 1000
        return [
            event(.hopped, time, other: UInt64(net.rawValue)), event(.enqueued, time), event(.started, time + 10),
            event(.suspended, time + 20, detail: SuspensionReason.awaiting.rawValue),
        ]
    }

    @Test("The wait of an earlier hop is found without a search through all hops of a task that hops for ever")
    func lateWaits() throws {
        let store = TraceStore()
        store.apply(Self.event(.created, 100))
        for number in 1...1000 {
            let time = UInt64(number) * 1000
            // The record of the enqueueing comes after that of the start and of the next hop, as when the record before it was lost.
            store.apply([
                Self.event(.hopped, time, other: UInt64(Self.net.rawValue)), Self.event(.started, time + 200),
                Self.event(.hopped, time + 300, Self.net, other: UInt64(Self.main.rawValue), detail: HopManner.inline.rawValue),
                Self.event(.enqueued, time + 50),
                Self.event(.suspended, time + 400, detail: SuspensionReason.awaiting.rawValue),
            ])
        }
        let task = try #require(store.task(Self.task))
        #expect(task.hopCount == 2000)
        let first = [Self.hop(at: 1000, wait: 150), Self.hop(from: Self.main, to: Self.net, at: 1300, .inline, wait: nil)]
        #expect(Array(Self.hops(of: task).prefix(2)) == first)
        #expect(task.hops.count { $0.wait == 150 } == 1000)
        #expect(store.longHopSearches == 0)
    }

    @Test("A task that lives and hops for ever takes no more memory from some hop on, and its hops are all counted")
    func longLife() throws {
        let store = TraceStore(retention: Retention(endedTasks: 100))
        func apply(_ events: [TaskEvent]) {
            store.apply(TraceBatch(events: events, lanes: events.map { _ in 0 }))
        }
        apply([Self.event(.created, 1)])
        for number in 1...100_000 { apply(Self.job(number: number)) }
        let bytes = store.tableBytes
        for number in 100_001...300_000 { apply(Self.job(number: number)) }
        #expect(store.tableBytes == bytes)
        let task = try #require(store.task(Self.task))
        #expect(task.hopCount == 300_000)
        // The latest hops are kept.
        let times = task.hops.map(\.at)
        let expected: [UInt64] = times.indices.map { index in UInt64(300_001 - times.count + index) * 1000 }
        #expect(times.count >= 16 && times == expected)
        #expect(task.hops.allSatisfy { $0.wait == 10 })
        // A hop whose event comes late may be earlier than all others.
        apply([Self.event(.hopped, 2, other: UInt64(Self.net.rawValue))])
        #expect(store.task(Self.task)?.hopCount == 300_001)
        // A short task keeps its hops beside it.
        let other = TaskID(rawValue: 2)
        let hops = (1...3).map { TaskEvent(.hopped, task: other, at: 400_000_000 + $0, other: 1, executor: Self.main) }
        apply([TaskEvent(.created, task: other, at: 400_000_000)] + hops)
        #expect(store.task(other)?.hops.map(\.at) == hops.map(\.time))
    }

    static let courses: [(String, [TaskEvent], [String])] = [
        ("one hop", job(hopped), [hop()]),
        ("from no executor", job(event(.hopped, 1000)), [hop(from: .none)]),
        ("from the last executor", job(event(.hopped, 1000, other: 65_535)), [hop(from: .overflow)]),
        (
            "past its depth, a little before",
            job(event(.hopped, 1000, other: 65_535, detail: HopManner.depthGuard.rawValue), enqueued: 17_382),
            [hop(from: .overflow, .depthGuard)]
        ),
        ("as long before as is said in short", job(hopped, enqueued: 17_382), [hop()]),
        ("too long before", job(hopped, enqueued: 17_383), [hop()]),
        ("longer than 32 bits", job(hopped, enqueued: 9_000_000_000), [hop()]),
        ("to another executor than the queue's", job(event(.hopped, 1000, net, other: 2)), [hop(from: main, to: net)]),
        (
            "of a free actor", job(event(.hopped, 1000, other: 1 | 3 << 16, detail: HopManner.inline.rawValue)),
            [hop(.inline, wait: nil, count: 3)]
        ),
        (
            "a second one, later",
            job(hopped) + [event(.completed, 1600), event(.hopped, 1700, net, other: 2)],
            [hop(), hop(from: main, to: net, at: 1700, wait: nil)]
        ),
        (
            "a second one, before it", job(hopped) + [event(.hopped, 900, net, other: 2)],
            [hop(from: main, to: net, at: 900, wait: 500), hop()]
        ),
        (
            "its creation comes late and names another executor",
            Array(job(hopped).dropFirst()) + [event(.created, 100, ExecutorID(rawValue: 7))], [hop()]
        ),
        ("its creation comes late and is later", Array(job(hopped).dropFirst()) + [event(.created, 1200)], [hop()]),
        (
            "it is put into the queue again",
            job(hopped) + [event(.suspended, 1600), event(.enqueued, 1700), event(.started, 1900)], [hop()]
        ),
        ("the record of the queue comes late", [0, 1, 3, 2].map { job(hopped)[$0] }, [hop()]),
        ("its own record comes last", [0, 2, 3, 1].map { job(hopped)[$0] }, [hop()]),
    ]

    @Test(arguments: courses)
    func aHopIsReadBackUnchanged(name: String, events: [TaskEvent], expected: [String]) throws {
        let store = TraceStore()
        store.apply(events)
        let task = try #require(store.task(Self.task))
        #expect(Self.hops(of: task) == expected)
        #expect(task.hopCount == task.hops.reduce(0) { $0 + $1.count })
        store.forEachBlock { #expect(Int($0.read(.hops)[0]) == task.hopCount) }
    }

    @Test func aHopIsEvictedWithItsTask() throws {
        let store = TraceStore(retention: Retention(endedTasks: 1))
        for number in 1...100 as ClosedRange<UInt64> {
            for event in Self.job(Self.hopped) + [Self.event(.completed, 2000)] {
                let kind = try #require(event.kind)
                store.apply(
                    TaskEvent(
                        kind, task: TaskID(rawValue: number), at: event.time + number * 10_000, other: event.other,
                        executor: event.executor, detail: event.detail))
            }
        }
        #expect(store.evictedCount == 99)
        let last = try #require(store.task(TaskID(rawValue: 100)))
        #expect(Self.hops(of: last) == [Self.hop(at: 1_001_000)])
    }
}
