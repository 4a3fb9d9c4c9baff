import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

/// The details of events that rules leave out.
@Suite struct DetectorTableTests {
    private static func findings(_ trace: TraceBuilder, isOver: Bool, _ rules: [any WarningRule]) -> [String] {
        let store = trace.store()
        let list = WarningEngine(rules: rules).list(in: store, now: trace.now, isOver: isOver)
        return list.findings.map { "\($0.rule) \($0.task.rawValue) \($0.at) \($0.measure) \($0.evidence)" }
    }

    @Test("A rule finds the same if it also gets the details that it does not want", arguments: WarningCorpus.rows.map(\.rule))
    func corpus(rule: String) throws {
        for program in try #require(WarningCorpus.row(rule)).boundary {
            var swift = SwiftTrace()
            program.build(&swift)
            let found = Self.findings(swift.trace, isOver: program.isOver, WarningRules.all)
            #expect(found == Self.findings(swift.trace, isOver: program.isOver, WarningRules.all.map(Unselective.init)), "\(program.name)")
        }
    }

    @Test("So in random traces", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 250, isComplete: true).trace
        let found = Self.findings(trace, isOver: true, WarningRules.all)
        #expect(found == Self.findings(trace, isOver: true, WarningRules.all.map(Unselective.init)))
    }

    @Test("Every rule wants some event of each kind that it receives")
    func wanted() {
        for rule in WarningRules.all {
            let detector = rule.detector(WarningSettings())
            for kind in detector.kinds {
                #expect((0..<16 as Range<UInt8>).contains { detector.wants(kind, detail: $0) }, "\(rule.id): \(kind)")
            }
        }
    }
}

/// A rule whose detector gets every event of its kinds.
private struct Unselective: WarningRule {
    let rule: any WarningRule

    init(_ rule: any WarningRule) { self.rule = rule }

    var id: String { rule.id }
    var severity: WarningSeverity { rule.severity }
    var summary: String { rule.summary }
    var threshold: WarningThreshold? { rule.threshold }
    var needs: TraceRoutes { rule.needs }
    var needsEndedTasks: Bool { rule.needsEndedTasks }
    func missingSetting(_ settings: WarningSettings) -> String? { rule.missingSetting(settings) }
    func detector(_ settings: WarningSettings) -> WarningDetector { UnselectiveDetector(rule.detector(settings)) }
    func message(of finding: Finding, _ words: WarningWords) -> String { rule.message(of: finding, words) }
}

private final class UnselectiveDetector: WarningDetector {
    private let detector: WarningDetector

    init(_ detector: WarningDetector) { self.detector = detector }

    override var kinds: Set<EventKind> { detector.kinds }
    override var isOfSwift: Bool { detector.isOfSwift }
    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) { detector.see(event, lane: lane, scene) }
    override func settle(_ scene: WarningScene) { detector.settle(scene) }
    override func settleAhead(_ scene: WarningScene) { detector.settleAhead(scene) }
    override func standing(_ scene: WarningScene) -> [Finding] { detector.standing(scene) }
    override func missEvents() { detector.missEvents() }
}
