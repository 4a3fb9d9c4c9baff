import Testing

@testable import TaskEvents

/// The times of ticks, with a virtual counter and a virtual monotonic clock.
@Suite struct CounterClockTests {
    /// A counter of 2.7 GHz. The monotonic clock's rate changes as the system corrects it.
    private struct Machine {
        /// Parts per million by which the monotonic clock is fast, by the second.
        let correction: (Int) -> Double
        var ticks: UInt64 = 7_000_000_000_000
        var monotonic: UInt64 = 2_600_000_000_000
        /// What a whole number of nanoseconds leaves over.
        private var rest = 0.0
        private var passed = 0.0

        static let rate = 2.7

        init(correction: @escaping (Int) -> Double) {
            self.correction = correction
        }

        mutating func pass(nanoseconds: Double) {
            ticks += UInt64(nanoseconds * Self.rate)
            passed += nanoseconds
            rest += nanoseconds * (1 + correction(Int(passed / 1e9)) / 1e6)
            monotonic += UInt64(rest)
            rest -= rest.rounded(.down)
        }

        func anchor(error: UInt64 = 0) -> CounterClock.Anchor {
            CounterClock.Anchor(ticks: ticks, monotonic: monotonic + error)
        }
    }

    /// A clock whose rate is stated off by this part.
    private func clock(_ machine: Machine, off: Double) -> CounterClock {
        CounterClock(start: machine.anchor(), ticksPerSecond: UInt64(Machine.rate * 1e9 * (1 + off)))
    }

    @Test(
        "The times of an hour are within 10 microseconds of the monotonic clock's and never go back, whoever reads how often",
        arguments: [-3e-4, 0, 3e-4], [3_100_000.0, 97_000_000, 1_000_000_000])
    func drift(off: Double, pause: Double) {
        // The system's correction wanders by 20 millionths, as it does under ntpd.
        var machine = Machine { second in Double(abs(second % 1200 - 600)) / 30 - 10 }
        var clock = clock(machine, off: off)
        let start = machine.monotonic
        var before: UInt64 = 0
        var worst: UInt64 = 0
        var round: UInt64 = 0
        while machine.monotonic - start < 3_600_000_000_000 {
            // An event a little before the reader comes.
            machine.pass(nanoseconds: pause)
            let (tick, truth) = (machine.ticks, machine.monotonic - start)
            machine.pass(nanoseconds: 400_000)
            round += 1
            clock.add(machine.anchor(error: round * 7 % 60))
            let now = clock.nanoseconds(atTick: machine.ticks)
            let time = clock.nanoseconds(atTick: tick)
            #expect(time >= before && now >= time)
            before = now
            worst = max(worst, time > truth ? time - truth : truth - time)
        }
        #expect(worst < 10_000, "\(worst)")
    }

    @Test("A time that was told stays, however many anchors follow")
    func told() {
        var machine = Machine { _ in 12 }
        var clock = clock(machine, off: 2e-4)
        var times: [(tick: UInt64, time: UInt64)] = []
        for _ in 0..<300 {
            machine.pass(nanoseconds: 100_000_001)
            clock.add(machine.anchor())
            times.append((machine.ticks, clock.nanoseconds(atTick: machine.ticks)))
        }
        for (tick, time) in times { #expect(clock.nanoseconds(atTick: tick) == time) }
        #expect(clock.nanoseconds(atTick: 0) == 0)
    }

    @Test("A reader that comes after an hour finds the hour's events at their times")
    func late() {
        var machine = Machine { _ in 50 }
        var clock = clock(machine, off: -3e-4)
        let start = machine.monotonic
        var events: [(tick: UInt64, truth: UInt64)] = []
        for _ in 0..<360 {
            machine.pass(nanoseconds: 1e10)
            events.append((machine.ticks, machine.monotonic - start))
        }
        clock.add(machine.anchor())
        for (tick, truth) in events {
            let time = clock.nanoseconds(atTick: tick)
            #expect(max(time, truth) - min(time, truth) < 10_000)
        }
    }

    @Test("A machine that sleeps, or a monotonic clock that counts from another moment, moves no time")
    func asleep() {
        var machine = Machine { _ in 0 }
        var clock = clock(machine, off: 1e-5)
        for _ in 0..<100 {
            machine.pass(nanoseconds: 1e8)
            clock.add(machine.anchor())
        }
        let before = clock.nanoseconds(atTick: machine.ticks)
        machine.pass(nanoseconds: 8e12)
        machine.monotonic -= 7_900_000_000_000
        clock.add(machine.anchor())
        let after = clock.nanoseconds(atTick: machine.ticks)
        #expect(after - before > 7_999_000_000_000 && after - before < 8_001_000_000_000)
        for _ in 0..<100 {
            machine.pass(nanoseconds: 1e8)
            clock.add(machine.anchor())
        }
        let later = clock.nanoseconds(atTick: machine.ticks) - after
        #expect(later > 9_999_990_000 && later < 10_000_010_000)
    }

    @Test("No tick and no header make it trap", arguments: [1, 1_000_000_000, 1_000_000_000_000] as [UInt64])
    func odd(ticksPerSecond: UInt64) {
        for start in [0, 1 << 40, .max] as [UInt64] {
            var clock = CounterClock(start: .init(ticks: start, monotonic: ~start), ticksPerSecond: ticksPerSecond)
            for tick in [0, 1, 1 << 63, .max] as [UInt64] {
                _ = clock.nanoseconds(atTick: tick)
                clock.add(.init(ticks: tick, monotonic: tick &* 3))
                clock.add(.init(ticks: tick, monotonic: 0))
            }
        }
    }
}
