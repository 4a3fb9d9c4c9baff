import TaskEvents
import Testing
import TraceTestKit

@testable import TraceAnalysis

/// The tables in which rules keep values by task, lane and executor.
@Suite struct TaskMapTests {
    @Test("Random changes leave what a dictionary has", arguments: [1, 8, 1 << 40] as [UInt64])
    func random(step: UInt64) {
        var random = SeededGenerator(seed: step)
        var map = TaskMap<[Int]>()
        var known: [TaskID: [Int]] = [:]
        for change in 0..<20_000 {
            let task = TaskID(rawValue: UInt64.random(in: 0..<(change < 10_000 ? 2000 : 40), using: &random) &* step)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: (map[task], known[task]) = ([change], [change])
            case 1: (map[task], known[task]) = (nil, nil)
            case 2: #expect(map.remove(task) == known.removeValue(forKey: task))
            case 3:
                map[task]?.append(change)
                known[task]?.append(change)
            default: #expect(map[task] == known[task] && map.contains(task) == (known[task] != nil))
            }
            #expect(map.count == known.count && map.isEmpty == known.isEmpty)
        }
        #expect(map.sorted().map(\.key) == known.keys.sorted())
        #expect(map.sorted().map(\.value) == known.sorted { $0.key < $1.key }.map(\.value))
    }

    @Test("The number of no task gets no value, and ends nothing")
    func greatest() {
        var map = TaskMap<Int>()
        for number in [0, 1, .max - 1, .max] as [UInt64] { map[TaskID(rawValue: number)] = 1 }
        #expect(map.sorted().map(\.key.rawValue) == [0, 1, .max - 1])
        #expect(map.remove(TaskID(rawValue: .max)) == nil)
        #expect(map[TaskID(rawValue: .max)] == nil)
        #expect(map.count == 3)
    }

    @Test("Values by number have the order of their numbers")
    func numbered() {
        var values = NumberedValues<Int>()
        #expect(values[7] == nil && values.pairs.isEmpty)
        values[ExecutorID(rawValue: 9)] = 1
        values[2] = 2
        values[9]? += 5
        values[3]? += 5
        values[4] = nil
        #expect(values.pairs.map(\.number) == [2, 9])
        #expect(values.pairs.map(\.value) == [2, 6])
    }
}
