import Foundation
import Testing
import TraceTestKit

@testable import TaskEvents

/// More threads at once than a region has lanes at first. Each test runs in a process of its own.
struct LaneGrowthTests {
    /// `make tally` runs 4,096.
    static let threads = ProcessInfo.processInfo.environment["HOPSCOPE_TALLY_THREADS"].flatMap { Int($0) } ?? 1000

    @Test func eachOfAThousandThreadsAtOnceHasALane() async {
        await passing(Self.threads) {
            await #expect(processExitsWith: .success) {
                let threads = try passed(Int.self)
                let bus = try EventBus()
                bus.start()
                let meeting = ThreadMeeting(of: threads)
                onThreads(
                    (0..<threads).map { thread in
                        {
                            for number in 0..<10 { LaneTests.emit(UInt64(thread * 10 + number)) }
                            meeting.wait()
                        }
                    })
                bus.stop()
                #expect(bus.laneCount == UInt32(threads))
                #expect(bus.unplaced == 0)
                let numbers = (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }.compactMap { LaneTests.number(of: $0) }
                #expect(numbers.sorted() == (0..<UInt64(threads * 10)).map { $0 })
            }
        }
    }
}
