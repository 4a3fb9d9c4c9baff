import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceAnalysis

/// Rules that read a trace in portions, with a store that is ahead of them.
@Suite struct PortionTests {
    /// Faulted, abandoned and waiting tasks, most of them released long before the end. The last event may be a loss.
    private static func trace(losing lost: UInt64) -> TraceBuilder {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        for number in 0..<40 {
            let task = trace.root("task \(number)", on: net)
            trace.enqueue(task)
            trace.start(task)
            trace.advance(milliseconds: 20)
            if number % 4 == 0 { trace.fault(task, type: "Refused", message: "no") } else { trace.complete(task) }
            trace.endJob(task)
            let source = trace.source("source \(number)")
            let next = trace.continuation("next \(number)", of: source)
            trace.release(task)
            if number % 5 == 0 { trace.release(source) }
            if number % 8 == 1 { trace.wait(task, forInner: next) }
        }
        if lost > 0 { trace.lose(lost) }
        return trace
    }

    private static func findings(_ engine: WarningEngine, _ store: TraceStore) -> [String] {
        engine.list(in: store, isOver: false).groups.flatMap { group in group.findings.map { "\(group.rule) \($0.task.rawValue)" } }
    }

    @Test("Portions tell what the whole tells; a loss that is still ahead takes the same findings away", arguments: [0, 3], [1, 7, 64])
    func equal(lost: UInt64, portion: Int) {
        let trace = Self.trace(losing: lost)
        let store = trace.store()
        let (whole, parts) = (WarningEngine(), WarningEngine())
        whole.follow(store)
        for first in stride(from: 0, to: trace.events.count, by: portion) {
            let range = first..<min(first + portion, trace.events.count)
            parts.take([EventStretch(first: first + 1, events: Array(trace.events[range]), lanes: Array(trace.lanes[range]))], of: store)
        }
        let expected = Self.findings(whole, store)
        #expect(Self.findings(parts, store).sorted() == expected.sorted())
        #expect(expected.contains { $0.hasPrefix("unobserved-fault") } == (lost == 0))
        #expect(parts.seenCount(of: store) == trace.events.count)
    }
}
