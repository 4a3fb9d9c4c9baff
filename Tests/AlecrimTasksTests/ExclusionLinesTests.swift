import TaskEvents
import Testing
import TraceTestKit

@testable import AlecrimTasks

/// The queues of categories, tested without tasks.
struct ExclusionLinesTests {
    private func id(_ number: UInt64) -> TaskID { TaskID(rawValue: number) }

    @Test func theFirstInEachOfItsQueuesHasTheTurn() {
        var lines = ExclusionLines()
        #expect(lines.enter(id(1), ["a"]) == nil)
        #expect(lines.enter(id(2), ["b"]) == nil)
        #expect(lines.enter(id(3), ["a", "b"]) == .init(category: "a", predecessor: id(1)))
        #expect(lines.enter(id(4), ["b"]) == .init(category: "b", predecessor: id(3)))
        #expect(lines.leave(id(1)) == [])
        #expect(!lines.hasTurn(id(3)))
        #expect(lines.leave(id(2)) == [id(3)])
        #expect(lines.leave(id(3)) == [id(4)])
        #expect(lines.leave(id(4)) == [])
        #expect(lines.isEmpty)
    }

    @Test func leavingWithoutATurnLetsTheNextTaskAdvance() {
        var lines = ExclusionLines()
        for number in 1...3 as ClosedRange<UInt64> { _ = lines.enter(id(number), ["a"]) }
        #expect(lines.leave(id(2)) == [])
        #expect(!lines.isInLine(id(2)) && !lines.hasTurn(id(2)))
        #expect(lines.leave(id(2)) == [])
        #expect(lines.leave(id(1)) == [id(3)])
    }

    /// The original waits for itself here, and two such tasks wait for each other.
    @Test(arguments: [(["a", "a"], ["a"]), (["a", "b"], ["b", "a"]), (["a", "b", "a"], ["b", "b"])])
    func noOrderOrRepetitionOfCategoriesBlocksATask(first: [String], second: [String]) {
        var lines = ExclusionLines()
        #expect(lines.enter(id(1), first) == nil)
        #expect(lines.enter(id(2), second)?.predecessor == id(1))
        #expect(lines.leave(id(1)) == [id(2)])
        #expect(lines.leave(id(2)) == [])
        #expect(lines.isEmpty)
    }

    /// Random arrivals and departures: no category has two turns, one task always has a turn, and each gets it once.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func exactlyOneTaskHasTheTurn(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var lines = ExclusionLines()
        var waiting: [TaskID: [String]] = [:]
        var running: [TaskID: [String]] = [:]
        for number in 1...400 as ClosedRange<UInt64> {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let names = ["a", "b", "c", "d"].filter { _ in Bool.random(using: &random) }
                if lines.enter(id(number), names) == nil { running[id(number)] = names } else { waiting[id(number)] = names }
            } else if let leaver = (Array(waiting.keys) + Array(running.keys)).sorted().randomElement(using: &random) {
                waiting[leaver] = nil
                running[leaver] = nil
                for next in lines.leave(leaver) {
                    running[next] = waiting.removeValue(forKey: next)
                    #expect(running[next] != nil, "\(next) got a turn that it did not wait for")
                }
            }
            let held = running.values.flatMap { $0 }
            #expect(Set(held).count == held.count, "two turns in one category: \(held)")
            #expect(running.keys.allSatisfy(lines.hasTurn) && !waiting.keys.contains(where: lines.hasTurn))
            #expect(waiting.isEmpty || !running.isEmpty)
        }
    }
}
