import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// Blocks of Dispatch, operation queues and run loops, compared with what the program says of each.
@Suite(.serialized)
struct BlocksTests {
    /// One line of the program's ledger.
    private struct Shape {
        var name: String
        var line: UInt32
        var executor: String
        var runs: Int
        var end: String
        var maker: String

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 7, words[0] == "block", let place = UInt32(words[2]), let runs = Int(words[4]) else { return nil }
            (name, self.line, executor, self.runs) = (String(words[1]), place, String(words[3]), runs)
            (end, maker) = (String(words[5]), String(words[6]))
        }
    }

    @Test(arguments: [ProgramBuild.debug, .release], ["dispatchMain", "runloop"])
    func everyShapeHasItsLineItsExecutorItsRunsAndItsMaker(build: ProgramBuild, way: String) async throws {
        let run = try await WatchedRun(build.program("Blocks"), [way]).symbolized
        #expect(run.status == 0, "\(run.output)")
        #expect(run.lost == 0)
        let store = run.store
        let blocks = store.blockRows.map { store[$0] }
        let shapes = run.output.split(separator: "\n").compactMap { Shape($0) }
        #expect(shapes.count >= (way == "runloop" ? 39 : 37))
        var lines: [String: UInt32] = [:]
        for shape in shapes { lines[shape.name] = shape.line }
        for shape in shapes {
            let found = blocks.filter { $0.label.line == shape.line && $0.label.file == "Blocks.swift" }
            #expect(found.count == max(1, shape.runs), "\(shape.name)")
            for block in found {
                #expect("\(block.state)" == shape.end, "\(shape.name)")
                #expect(shape.runs == 0 || block.started != nil && block.busy > 0, "\(shape.name)")
                if shape.runs > 0, shape.executor != "*" {
                    #expect(store.description(of: block.executor).name == shape.executor, "\(shape.name)")
                }
                let maker = block.firstAntecedent.flatMap { store.task($0)?.label.line }
                #expect(maker == lines[shape.maker], "\(shape.name)")
            }
        }
        #expect(store.taskCount == 0)
        // The end of the program is a block, too, with three inside it and Foundation's of the operation queue.
        let known = Set(shapes.map(\.line))
        let others = blocks.filter { $0.label.file == "Blocks.swift" && !known.contains($0.label.line) }
        #expect(others.count == 4)
    }
}
