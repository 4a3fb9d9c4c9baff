import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The sleeps that the first screen names although no rule has fired.
@Suite struct OversleeperTests {
    /// The sentences of the first screen, `milliseconds` after the last event.
    private func told(_ milliseconds: UInt64, _ trace: TraceBuilder) -> [String] {
        var trace = trace
        trace.advance(milliseconds: milliseconds)
        trace.mark("later")
        let store = trace.store()
        return LongWaits(store).groups.map { $0.text(in: store) }
    }

    /// A parent that waits for a group of seven children. Some sleep 40 ms and end, the others sleep on.
    private func group(sleepers: Int, parentWaits: Bool = true, loops: Bool = false, isOptimized: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let sleep = CodeSymbol(function: "static Task<>.sleep(nanoseconds:)", isMachinery: true)
        let place =
            isOptimized ? trace.code(sleep) : trace.code(sleep, CodeSymbol(function: "fetch(_:)", file: "Feeds.swift", line: 7))
        let parent = trace.create(.unstructured, "refresh")
        trace.start(parent, .dequeued)
        let children = (0..<7).map { _ in trace.create(.groupChild, "fetch", of: [parent]) }
        for child in children {
            trace.start(child, .dequeued)
            trace.suspend(child, .continuation, in: place)
        }
        if parentWaits { trace.suspend(parent, .group) }
        trace.advance(milliseconds: 40)
        for child in children where loops || child.rawValue >= children[sleepers].rawValue {
            trace.resume(child)
            if loops { trace.suspend(child, .continuation, in: place) } else { trace.complete(child) }
        }
        return trace
    }

    @Test("In a group of thousands of sleepers, each looks at a few others only") func crowd() {
        var trace = TraceBuilder()
        let sleep = trace.code(CodeSymbol(function: "static Task<>.sleep(nanoseconds:)", isMachinery: true))
        let parent = trace.create(.unstructured, "refresh")
        trace.start(parent, .dequeued)
        for _ in 0..<2000 {
            let child = trace.create(.groupChild, "fetch", of: [parent])
            trace.start(child, .dequeued)
            trace.suspend(child, .continuation, in: sleep)
        }
        trace.suspend(parent, .group)
        trace.advance(milliseconds: 5000)
        trace.mark("later")
        let store = trace.store()
        let before = store.readCount
        #expect(LongWaits(store).groups.isEmpty)
        #expect(store.readCount - before < 2000 * 40)
    }

    @Test("Children of a group that sleep ten times as long as most of their siblings are told, with the task that waits for them")
    func oversleepers() {
        let end = "`refresh` waits for"
        #expect(
            told(5000, group(sleepers: 1)) == [
                "`fetch` has slept 5.040 s, Feeds.swift:7; \(end) it, and 6 others of the group ended within 40.0 ms"
            ])
        #expect(
            told(5000, group(sleepers: 2)) == [
                "2 tasks sleep, Feeds.swift:7; the longest, `fetch`, for 5.040 s; \(end) it, "
                    + "and 5 others of the group ended within 40.0 ms"
            ])
        #expect(
            told(5000, group(sleepers: 1, isOptimized: true)) == [
                "`fetch` has slept 5.040 s; \(end) it, and 6 others of the group ended within 40.0 ms"
            ])
        #expect(told(1900, group(sleepers: 1)).isEmpty, "no sleep of less than two seconds is long")
        #expect(told(5000, group(sleepers: 4)).isEmpty, "most sleep on")
        #expect(told(5000, group(sleepers: 1, loops: true)).isEmpty, "they sleep again and again")
        #expect(!told(5000, group(sleepers: 1, parentWaits: false)).contains { $0.contains("slept") }, "no task waits for it")
    }
}
