import Synchronization
import Testing
import TraceTestKit

@testable import TaskEvents

/// The events that a thread emits and a reader takes. The active bus belongs to the process, so one test records at a time, and each
/// test looks only at its own lanes.
@Suite(.serialized)
struct LaneTests {
    /// An event whose fields are all computed from its number.
    static func emit(_ number: UInt64) {
        Emit.emit(
            .suspended, task(number), detail: UInt8(truncatingIfNeeded: number),
            executor: ExecutorID(rawValue: UInt16(truncatingIfNeeded: number)),
            label: EntryID(rawValue: UInt32(truncatingIfNeeded: ~number)), other: number &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The number from which all fields were computed, nil if they disagree.
    static func number(of event: TaskEvent) -> UInt64? {
        let number = event.task.rawValue &- task(0).rawValue
        let isWhole =
            event.kind == .suspended && event.detail == UInt8(truncatingIfNeeded: number)
            && event.executor.rawValue == UInt16(truncatingIfNeeded: number) && event.label.rawValue == UInt32(truncatingIfNeeded: ~number)
            && event.other == number &* 0x9E37_79B9_7F4A_7C15
        return isWhole ? number : nil
    }

    @Test(arguments: [0, 1, 2, 299, 300, 301, 1021])
    func everyEventArrivesInOrder(count: UInt64) async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            bus.start()
            onThread { for number in 0...count { Self.emit(number) } }
            bus.stop()
            let (events, lost) = bus.all(lane: try #require(bus.lane(of: task(0))))
            #expect(lost == 0)
            #expect(events.first?.kind == .thread)
            // A thread of another test may have taken the lane: its records follow its own thread record.
            #expect(events.dropFirst().prefix { $0.kind != .thread }.map { Self.number(of: $0) } == (0...count).map { $0 })
        }
    }

    @Test func theFirstRecordNamesTheThread() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            bus.start()
            onThread { Self.emit(1) }
            onThread { Self.emit(2) }
            bus.stop()
            let (events, _) = bus.all(lane: try #require(bus.lane(of: task(1))))
            let threads = events.filter { $0.kind == .thread }.map(\.other)
            #expect(threads.allSatisfy { $0 > 0 })
        }
    }

    @Test func aReportOfLossesThatTheProgramWroteIsLost() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            bus.start()
            onThread {
                Self.emit(1)
                Emit.emit(.lost, .none, other: .max)
                Self.emit(2)
            }
            bus.stop()
            let (events, lost) = bus.all(lane: try #require(bus.lane(of: task(1))))
            #expect(lost == 1)
            #expect(!events.contains { $0.kind == .lost })
            #expect(events.compactMap { Self.number(of: $0) } == [1, 2])
        }
    }

    /// A capacity is a power of two minus one; the thread's own record counts as written.
    @Test(arguments: [(1023, 0), (1023, 1), (1023, 5000), (255, 100_000), (127, 1)] as [(UInt32, UInt64)])
    func anOverrunIsCountedExactly(capacity: UInt32, beyond: UInt64) async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small(laneCapacity: capacity)
            #expect(bus.laneCapacity == UInt64(capacity))
            bus.start()
            let written = UInt64(capacity) + beyond
            onThread { for number in 1..<written { Self.emit(number) } }
            bus.stop()
            let (events, lost) = bus.all(lane: try #require(bus.lane(of: task(written - 1))))
            #expect(lost == written - UInt64(capacity))
            #expect(UInt64(events.count) == UInt64(capacity))
            #expect(events.suffix(100).map { Self.number(of: $0) } == (written - 100..<written).map { $0 })
        }
    }

    @Test(arguments: [(100, 127), (127, 127), (128, 255), (1000, 1023), (0, 1)] as [(UInt32, UInt64)])
    func aCapacityIsRoundedUp(asked: UInt32, capacity: UInt64) throws {
        #expect(try EventBus.small(laneCapacity: asked).laneCapacity == capacity)
    }

    /// The reader copies while the writer overruns the ring again and again: each record it takes is whole and in order, and each one it
    /// misses is counted.
    @Test(arguments: [(127, 64), (1023, 300), (8191, 8191)] as [(UInt32, Int)])
    func aConcurrentReaderSeesNoTornRecord(capacity: UInt32, limit: Int) async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small(laneLimit: 256, laneCapacity: capacity)
            let written: UInt64 = 300_000, hasEnded = Atomic<Bool>(false)
            let lane = Guarded<UInt32?>(nil), taken = Guarded<(events: [TaskEvent], lost: UInt64)>(([], 0))
            bus.start()
            onThreads([
                {
                    Self.emit(0)
                    lane.withLock { $0 = bus.lane(of: task(0)) }
                    for number in 1..<written { Self.emit(number) }
                    hasEnded.store(true, ordering: .releasing)
                },
                {
                    var next: UInt64 = 0, events: [TaskEvent] = [], lost: UInt64 = 0
                    while true {
                        guard let lane = lane.withLock({ $0 }) else { continue }
                        let isLast = hasEnded.load(ordering: .acquiring), before = next
                        lost += bus.read(lane: lane, from: &next, into: &events, limit: limit)
                        if isLast && next == before { break }
                    }
                    taken.withLock { [events, lost] in $0 = (events, lost) }
                },
            ])
            bus.stop()
            let (events, lost) = taken.withLock { $0 }
            #expect(UInt64(events.count) + lost == written + 1)
            var last: UInt64?, whole = 0
            for event in events where event.kind != .thread {
                guard let number = Self.number(of: event) else { continue }
                whole += 1
                if let last, number <= last { Issue.record("\(number) after \(last)") }
                last = number
            }
            #expect(whole == events.count { $0.kind != .thread })
            #expect(last == written - 1)
        }
    }

    @Test func aLaneCanBeReadInPieces() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            bus.start()
            onThread { for number in 0..<UInt64(500) { Self.emit(number) } }
            bus.stop()
            let lane = try #require(bus.lane(of: task(0)))
            var next: UInt64 = 0, events: [TaskEvent] = []
            for limit in [1, 2, 3, 100, 1000, 1] {
                #expect(bus.read(lane: lane, from: &next, into: &events, limit: limit) == 0)
            }
            #expect(next == 501 && events.count == 501)
            #expect(events.dropFirst().map { Self.number(of: $0) } == (0..<500).map { $0 })
        }
    }

    @Test func eventsAfterTheEndAreNotRecorded() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            onThread {
                Self.emit(1)
                bus.start()
                Self.emit(2)
                bus.stop()
                Self.emit(3)
            }
            let events = (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }
            #expect(events.compactMap { Self.number(of: $0) } == [2])
            #expect(!EventBus.isRecording)
            #expect(Emit.label(name: "name", or: "", fileID: "file", line: 1) == .none)
            #expect(Emit.error(CancellationError()) == .none)
        }
    }

    @Test func theBusThatStartedLastGetsTheEvents() async throws {
        try await EventRecording.alone {
            let first = try EventBus.small(), second = try EventBus.small()
            onThread {
                first.start()
                Self.emit(1)
                second.start()
                Self.emit(2)
                // This bus is no longer the recording one, so the call stops nothing.
                first.stop()
                Self.emit(3)
                second.stop()
            }
            let taken = [first, second].map { bus in
                (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }.compactMap { Self.number(of: $0) }
            }
            #expect(taken == [[1], [2, 3]])
        }
    }

    // MARK: Time

    @Test func virtualTimeStandsStillUntilItIsMoved() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small(time: .virtual)
            bus.start()
            onThread {
                for (number, time) in [0, 0, 5, 1_000_000_007].enumerated() {
                    bus.setTime(nanoseconds: UInt64(time))
                    Self.emit(UInt64(number))
                }
            }
            bus.stop()
            #expect(bus.now == 1_000_000_007)
            let (events, _) = bus.all(lane: try #require(bus.lane(of: task(0))))
            #expect(events.dropFirst().map(\.time) == [0, 0, 5, 1_000_000_007])
        }
    }

    @Test(arguments: [EventClock.fastest, .monotonic])
    func realTimeRisesAndIsInNanoseconds(_ source: EventClock) async throws {
        try await EventRecording.alone {
            let clock = ContinuousClock(), begin = clock.now
            let bus = try EventBus.small(time: source)
            bus.start()
            onThread { for number in 0..<UInt64(1000) { Self.emit(number) } }
            bus.stop()
            let times = bus.all(lane: try #require(bus.lane(of: task(0)))).events.map(\.time)
            let end = bus.now
            let passed = begin.duration(to: clock.now)
            #expect(times == times.sorted())
            #expect(times.last! <= end)
            #expect(Duration.nanoseconds(Int64(end)) <= passed + .microseconds(50))
        }
    }
}
