import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceAnalysis

/// A damaged recording has one loss for each missing event.
@Suite struct LossRunTests {
    @Test("The rules forget once for a row of losses, and again after the next event", arguments: [TraceBatch.noLane, 0])
    func forgetOnce(lane: UInt16) {
        var trace = TraceBuilder()
        for _ in 0..<2 {
            trace.lane = 0
            _ = trace.root("task")
            trace.lane = lane
            for _ in 0..<1000 { trace.lose(1) }
        }
        let rule = CountingRule()
        _ = WarningEngine(rules: [rule]).list(in: trace.store(), now: trace.now, isOver: true)
        #expect(lane == TraceBatch.noLane ? rule.count.value == 2 : rule.count.value == 2000)
    }
}

private final class Count: @unchecked Sendable {
    var value = 0
}

/// A rule that counts how often its detector is told that events are missing.
private struct CountingRule: WarningRule {
    let count = Count()
    let id = "counts"
    let severity = WarningSeverity.note
    let summary = "counts"
    let threshold: WarningThreshold? = nil
    let needs: TraceRoutes = []

    func detector(_ settings: WarningSettings) -> WarningDetector { CountingDetector(count) }
    func message(of finding: Finding, _ words: WarningWords) -> String { "" }
}

private final class CountingDetector: WarningDetector {
    private let count: Count

    init(_ count: Count) { self.count = count }

    override func missEvents() { count.value += 1 }
}
