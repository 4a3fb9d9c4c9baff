import CursesTerminal
import Foundation
import Hopscope
import InspectorTestKit
import InspectorUI
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// Faults of the inspector's own code. Each test runs in a process of its own, which must go on.
@Suite struct FaultTests {
    enum Kind: String, CaseIterable, Codable {
        case indexing, overflow, unwrapping, precondition, recursion
    }

    /// Fails when it is asked for events for the third time.
    private final class FailingSource: TraceSource {
        let kind: Kind
        var asked = 0
        let now: UInt64 = 0
        let hasEnded = false

        init(_ kind: Kind) { self.kind = kind }

        func take() -> [TraceBatch] {
            asked += 1
            if asked == 3 { _ = fail() }
            return []
        }

        private func fail() -> Int {
            switch kind {
            case .indexing: return [Int]()[asked]
            case .overflow: return Int.max - 2 + asked
            case .unwrapping: return Int?.none.map { $0 + asked }!
            case .precondition:
                precondition(asked > 3)
                return 0
            case .recursion: return dive(asked)
            }
        }

        private func dive(_ depth: Int) -> Int {
            depth < 0 ? 0 : dive(depth + 1) &+ withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { $0.count }
        }
    }

    @Test(arguments: Kind.allCases)
    func aFaultEndsTheInspectorAndNotTheProgram(kind: Kind) async {
        await passing(kind.rawValue) {
            await #expect(processExitsWith: .success) {
                let name = try passed(String.self)
                let kind = try #require(Kind(rawValue: name))
                let terminal = ScriptedTerminal(
                    size: Size(columns: 80, rows: 24), inputs: [.none, .none, .none, .none, .key(.character("q"))])
                var now: UInt64 = 0
                let session = InspectorSession(
                    terminal: terminal, source: FailingSource(kind), history: TraceHistory(), program: "demo"
                ) {
                    now += 40_000_000
                    return now
                }
                let failure = try #require(TerminalInspector.run(session, on: terminal))
                #expect(failure.hasPrefix("The inspector failed while it showed Overview, at "))
                #expect(failure.contains("+0x") && failure.contains("SIG"))
                #expect(terminal.shown?.lines()[0].contains("The screen Overview failed") == true)
                // The program uses its own threads and checks as before, and a second inspector works.
                let second = ScriptedTerminal(size: Size(columns: 80, rows: 24), inputs: [.key(.character("q"))])
                let next = InspectorSession(
                    terminal: second, source: FailingSource(kind), history: TraceHistory(), program: "demo", clock: { 0 })
                #expect(TerminalInspector.run(next, on: second) == nil)
                #expect(second.shown == nil || second.shown?.lines()[0].contains("demo") == true)
            }
        }
    }

    @Test func aFaultOnAnotherThreadTakesItsCourse() async {
        await #expect(processExitsWith: .failure) {
            _ = runGuarded {
                let other = try? WorkerThread { _ = [Int]()[1] }
                other?.join()
            }
            quick_exit(0)
        }
    }
}
