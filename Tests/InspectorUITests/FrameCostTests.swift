import Foundation
import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// Measures the cost of a frame for traces of shapes that crowd around one task. It prints a table of processor times; `make frames` runs it.
@Suite(.serialized, .enabled(if: TimedTests.areWanted)) struct FrameCostTests {
    typealias Shape = CrowdedTrace.Shape

    private static var sizes: [Int] {
        let most = ProcessInfo.processInfo.environment["HOPSCOPE_FRAME_TASKS"].flatMap { Int($0) } ?? 100_000
        return [1_000, 10_000, 100_000, 1_000_000].filter { $0 <= most }
    }

    /// The shapes whose names contain the environment's `HOPSCOPE_FRAME_SHAPE`; all without it.
    private static var shapes: [Shape] {
        let part = ProcessInfo.processInfo.environment["HOPSCOPE_FRAME_SHAPE"] ?? ""
        return Shape.allCases.filter { part.isEmpty || $0.rawValue.contains(part) }
    }

    @Test(arguments: shapes)
    func cost(shape: Shape) {
        var frames: [Int: Double] = [:]
        for size in Self.sizes {
            let (median, worst, screen) = Self.measure(shape, size)
            frames[size] = worst
            let line =
                "frames: \(shape.rawValue), \(size) tasks: median \(Self.text(median)) ms, worst \(Self.text(worst)) ms on \(screen)\n"
            FileHandle.standardOutput.write(Data(line.utf8))
        }
        // A quadratic shape costs a hundred times as much for ten times as many tasks.
        for (size, tenth) in zip(Self.sizes.dropFirst(), Self.sizes) {
            #expect(frames[size]! < 20 * frames[tenth]! + 16, "\(shape.rawValue), \(size) tasks")
        }
    }

    private static func text(_ milliseconds: Double) -> String { String(format: "%.1f", milliseconds) }

    /// The processor time of each frame, in milliseconds, while the trace arrives in 20 pieces on every screen in turn.
    private static func measure(_ shape: Shape, _ count: Int) -> (median: Double, worst: Double, screen: String) {
        let trace = CrowdedTrace.trace(shape, count)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        var model = Model(history: history, program: "shape", size: Size(columns: 200, rows: 50), glyphs: .unicode)
        var times: [(cost: Double, screen: String)] = []
        var time: UInt64 = 0
        let pieces = 20
        for piece in 0..<pieces {
            let range = piece * trace.events.count / pieces..<(piece + 1) * trace.events.count / pieces
            history.apply(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
            _ = update(&model, .traced)
            for screen in CrowdedTrace.screens {
                _ = update(&model, .key(screen.key))
                for _ in 0..<3 {
                    let begin = processorTime()
                    time += 33_333_333
                    _ = update(&model, .frame(at: time))
                    var canvas = Canvas(size: model.size, glyphs: .unicode)
                    Frame.draw(model, on: &canvas)
                    times.append((processorTime() - begin, screen.name))
                }
            }
        }
        times.sort { $0.cost < $1.cost }
        return (times[times.count / 2].cost, times[times.count - 1].cost, times[times.count - 1].screen)
    }

    /// Milliseconds of the calling thread.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
