import Testing

@testable import TaskRuntime

/// How long an order waits, in counted work: nothing here takes time.
struct PatienceTests {
    /// Returns the first finding of that many ticks, and the tick that it came with.
    private func finding(
        _ holder: OrderedPatience.Holder, runnable: Int, usedInATick used: UInt64, ticks: Int = 10_000
    ) -> (OrderedPatience.Finding, tick: Int)? {
        var patience = OrderedPatience()
        var (last, looks) = (0, 0)
        for tick in 0...ticks where patience.hasStopped(at: 7) && patience.wantsLook() {
            looks += 1
            let usedByHolder = UInt64(tick) * used / UInt64(max(1, runnable))
            let finding = patience.look(holder, runnable: runnable, used: UInt64(tick - last) * used, usedByHolder: usedByHolder)
            last = tick
            if finding != .fine { return (finding, tick) }
        }
        #expect((4...ticks / OrderedSettings.lookEvery + 10).contains(looks))
        return nil
    }

    @Test(
        "A thread that can run and gets no processor is waited for, however long",
        arguments: [OrderedPatience.Holder.none, .unbegun, .asleep, .running])
    func aStarvedProcess(_ holder: OrderedPatience.Holder) {
        #expect(finding(holder, runnable: 1, usedInATick: 0, ticks: 100_000) == nil)
    }

    @Test("While nothing can run, all time counts")
    func aStillProcess() throws {
        let silent = try #require(finding(.none, runnable: 0, usedInATick: 0))
        #expect(silent.tick < 20 && silent.0 != .fine)
        let asleep = try #require(finding(.asleep, runnable: 0, usedInATick: 0))
        #expect(asleep.0 == .asleep && asleep.tick < 20)
        let unbegun = try #require(finding(.unbegun, runnable: 0, usedInATick: 0))
        #expect(unbegun.0 == .unbegun && (OrderedSettings.unbegun..<2 * OrderedSettings.unbegun).contains(unbegun.tick))
    }

    @Test("Beside threads that run, the share of one thread counts")
    func aBusyProcess() throws {
        let tick = OrderedPatience.tick
        let asleep = try #require(finding(.asleep, runnable: 10, usedInATick: tick))
        #expect(asleep.0 == .asleep && (OrderedSettings.asleep * 10..<OrderedSettings.asleep * 20).contains(asleep.tick))
        let hangs = try #require(finding(.running, runnable: 1, usedInATick: tick))
        #expect(hangs.0 == .hangs && (OrderedSettings.longest..<2 * OrderedSettings.longest).contains(hangs.tick))
        #expect(finding(.running, runnable: 2, usedInATick: tick, ticks: OrderedSettings.longest) == nil)
    }

    @Test func aStepBeginsAnew() {
        var patience = OrderedPatience()
        for step in 0..<1_000 {
            let hasStopped = patience.hasStopped(at: step)
            #expect(!hasStopped)
            for _ in 1..<OrderedSettings.firstLook {
                let wantsLook = patience.wantsLook()
                #expect(!wantsLook)
            }
        }
    }

    @Test func theKernelTellsWhichThreadsCanRun() {
        let before = KernelThreads.used
        var sum = 0
        for number in 0..<200_000 { sum &+= number }
        #expect(KernelThreads.used > before && sum > 0)
        #expect(KernelThreads.calling > 0 && KernelThreads.used(by: KernelThreads.calling) > 0)
    }
}
