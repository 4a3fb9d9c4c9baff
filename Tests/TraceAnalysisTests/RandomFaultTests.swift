import InspectorTestKit
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Faults of random programs, compared with the definition.
@Suite struct RandomFaultTests {
    @Test("Roles, paths and verdicts equal the definition's", arguments: 0..<40)
    func definition(block: Int) throws {
        for seed in 0..<10 {
            let program = RandomProgram(seed: UInt64(block * 10 + seed), steps: 120)
            let definition = FaultDefinition(tasks: program.tasks)
            let store = program.trace.store()
            let analysis = FaultAnalysis(store, readers: ErrorReaders(store))
            for task in program.tasks {
                let view = try #require(store.task(task.id))
                #expect(analysis.role(of: view) == definition.role(of: task), "task \(task.id.rawValue), block \(block), seed \(seed)")
            }
            let origins = program.tasks.filter(definition.isOrigin).sorted { ($0.ended, $0.id) < ($1.ended, $1.id) }
            #expect(analysis.origins() == origins.map(\.id))
            for (path, origin) in zip(analysis.faults(), origins) {
                let expected = definition.fault(from: origin)
                let roles = Dictionary(uniqueKeysWithValues: path.steps.map { ($0.task, $0.role) })
                #expect(roles == expected.roles, "path of \(origin.id.rawValue), block \(block), seed \(seed): \(path.text)")
                #expect(path.verdict == expected.verdict, "path of \(origin.id.rawValue), block \(block), seed \(seed): \(path.text)")
                expectOrder(of: path, definition)
            }
        }
    }

    /// Each step follows the task that it got the error from, and that task had the error.
    private func expectOrder(of path: FaultPath, _ definition: FaultDefinition) {
        var before: Set<TaskID> = []
        for step in path.steps {
            if step.task != path.origin {
                #expect(before.contains(step.from), "\(path.text)")
                #expect(definition.part(of: definition.truth(step.task), in: [step.from]) != nil, "\(path.text)")
            }
            before.insert(step.task)
        }
    }

    @Test("Without the readers, a role differs only if a body read the error of an unlinked task")
    func withoutReaders() throws {
        for seed in 0..<50 {
            let program = RandomProgram(seed: UInt64(seed), steps: 120)
            let definition = FaultDefinition(tasks: program.tasks)
            let store = program.trace.store()
            let analysis = FaultAnalysis(store)
            for task in program.tasks where task.reads.isSubset(of: Set([task.continues, task.inner].compactMap(\.self))) {
                let view = try #require(store.task(task.id))
                #expect(analysis.role(of: view) == definition.role(of: task), "task \(task.id.rawValue), seed \(seed)")
            }
        }
    }
}
