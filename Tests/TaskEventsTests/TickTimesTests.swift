import Testing

@testable import TaskEvents

/// A counter of 2.4 GHz beside a monotonic clock, in virtual time.
private struct Machine {
    /// Nanoseconds of the monotonic clock per nanosecond of the counter.
    var slew = 1.0
    private(set) var ticks: UInt64 = 77_000_000_000
    private(set) var nanoseconds: UInt64 = 5_000_000_000

    mutating func pass(_ time: UInt64) {
        ticks += time * 12 / 5
        nanoseconds += UInt64((Double(time) * slew).rounded())
    }
}

/// A reader of a trace on that machine. `offBy` is the error of the rate that the trace's header has.
private struct Reader {
    private var times: TickTimes
    private let start: UInt64
    private(set) var anchors = 0

    init(_ start: Machine, offBy error: Double = 0) {
        times = TickTimes(start: start.ticks, ticksPerSecond: UInt64(2.4e9 * (1 + error)))
        self.start = start.nanoseconds
    }

    /// - Parameter jitter: the error of an anchor in nanoseconds.
    mutating func time(at tick: UInt64, on machine: Machine, jitter: Int = 0) -> UInt64 {
        if tick >= times.due { takeAnchor(on: machine, jitter: jitter) }
        return times.time(at: tick)
    }

    mutating func takeAnchor(on machine: Machine, jitter: Int = 0) {
        times.lead(to: machine.ticks, time: UInt64(Int(machine.nanoseconds - start) + jitter))
        anchors += 1
    }
}

@Suite struct TickTimesTests {
    private static let hour: UInt64 = 3_600_000_000_000

    @Test(arguments: [3e-4, -3e-4, 0])
    func anHourIsExactWhateverTheCalibrationWas(error: Double) {
        var machine = Machine()
        var reader = Reader(machine, offBy: error)
        let start = machine
        var worst = 0, isOrdered = true, before: UInt64 = 0, random: UInt64 = 7
        while machine.nanoseconds < start.nanoseconds + Self.hour {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            machine.pass(random >> 38)
            let time = reader.time(at: machine.ticks, on: machine, jitter: Int(random >> 20 & 63) - 32)
            isOrdered = isOrdered && time >= before
            before = time
            worst = max(worst, abs(Int(time) - Int(machine.nanoseconds - start.nanoseconds)))
        }
        #expect(isOrdered)
        #expect(worst < 2000)
        #expect((3400...3700).contains(reader.anchors))
    }

    @Test func aTimeThatWasGivenOutStays() {
        var machine = Machine()
        var reader = Reader(machine, offBy: 2e-4)
        var given: [(tick: UInt64, time: UInt64)] = []
        for second in 0..<1000 {
            machine.slew = second == 500 ? 1.0005 : 1
            machine.pass(1_000_000_000)
            given.append((machine.ticks, reader.time(at: machine.ticks, on: machine)))
        }
        for (tick, time) in given { #expect(reader.time(at: tick, on: machine) == time) }
        #expect(given.map(\.time) == given.map(\.time).sorted())
    }

    /// Readers that come at different times, and look at different times, agree on the same ticks.
    @Test func readersAgree() {
        var machine = Machine()
        let start = machine
        var first = Reader(machine, offBy: 3e-4)
        var ticks: [(tick: UInt64, time: UInt64)] = []
        for _ in 0..<36_000 {
            machine.pass(97_000_000)
            ticks.append((machine.ticks, first.time(at: machine.ticks, on: machine, jitter: 20)))
        }
        var late = Reader(start, offBy: -3e-4)
        late.takeAnchor(on: machine, jitter: -20)
        for (tick, time) in ticks { #expect(abs(Int(time) - Int(late.time(at: tick, on: machine))) < 2000) }
    }

    /// The kernel slews its clock by at most 500 parts in a million.
    @Test func aSlewedClockIsFollowedWithinSeconds() {
        var machine = Machine()
        let start = machine
        var reader = Reader(machine)
        for second in 0..<100 {
            machine.slew = (40..<60).contains(second) ? 1.0005 : 1
            for _ in 0..<100 {
                machine.pass(10_000_000)
                let error = Int(reader.time(at: machine.ticks, on: machine)) - Int(machine.nanoseconds - start.nanoseconds)
                #expect(abs(error) < ((40...65).contains(second) ? 1_100_000 : 1000))
            }
        }
    }

    /// While the machine sleeps, the counter runs and the monotonic clock stands still.
    @Test func sleepOfTheMachineDoesNotBreakTheLine() {
        var machine = Machine()
        let start = machine
        var reader = Reader(machine)
        var before: UInt64 = 0
        for second in 0..<20 {
            if second == 10 {
                machine.slew = 0
                machine.pass(Self.hour)
                machine.slew = 1
            }
            machine.pass(1_000_000_000)
            let time = reader.time(at: machine.ticks, on: machine)
            #expect(time >= before)
            before = time
        }
        #expect(abs(Int(before) - Int(machine.nanoseconds - start.nanoseconds)) < 1000)
    }

    /// A reader takes its anchor after the event, so the line is led beyond the last time that was given out.
    @Test func eventsAreReadLate() {
        var machine = Machine()
        let start = machine
        var reader = Reader(machine)
        var before: UInt64 = 0
        for _ in 0..<100 {
            machine.pass(2_500_000_000)
            let event = machine
            machine.pass(20_000_000)
            let time = reader.time(at: event.ticks, on: machine)
            #expect(time >= before && abs(Int(time) - Int(event.nanoseconds - start.nanoseconds)) < 1000)
            before = time
        }
    }

    /// A program that was silent for an hour has exact times before and after, although no anchor was taken in between.
    @Test func silenceIsBridged() {
        var machine = Machine()
        let start = machine
        var reader = Reader(machine, offBy: 1e-4)
        for _ in 0..<100 {
            machine.pass(100_000_000)
            _ = reader.time(at: machine.ticks, on: machine)
        }
        machine.pass(Self.hour)
        let time = reader.time(at: machine.ticks, on: machine)
        #expect(abs(Int(time) - Int(machine.nanoseconds - start.nanoseconds)) < 1000)
        #expect(reader.anchors < 30)
    }

    /// After more than an hour the oldest segments are joined, and times still never go back.
    @Test func thousandsOfAnchorsKeepTheOrder() {
        var machine = Machine()
        let start = machine
        var reader = Reader(machine, offBy: 3e-4)
        var ticks: [(tick: UInt64, time: UInt64)] = []
        for second in 0..<20_000 {
            machine.slew = second % 100 < 50 ? 1.00001 : 1
            machine.pass(1_000_000_000)
            _ = reader.time(at: machine.ticks, on: machine)
            ticks.append((machine.ticks, machine.nanoseconds - start.nanoseconds))
        }
        var before: UInt64 = 0
        for (tick, time) in ticks {
            let now = reader.time(at: tick, on: machine)
            #expect(now >= before)
            #expect(abs(Int(now) - Int(time)) < 1_000_000)
            before = now
        }
    }

    @Test(arguments: [0, 1, 1 << 40, .max / 2, .max - 1, .max] as [UInt64], [0, 1, 1 << 40, .max / 2, .max] as [UInt64])
    func hostileAnchorsAndTicksDoNotTrap(tick: UInt64, time: UInt64) {
        for rate in [1, 1_000_000_000_000] as [UInt64] {
            var times = TickTimes(start: 5, ticksPerSecond: rate)
            _ = times.time(at: .max)
            times.lead(to: tick, time: time)
            _ = times.time(at: .max)
            times.lead(to: .max, time: .max / 2 - 1)
            _ = times.time(at: 6)
        }
    }
}
