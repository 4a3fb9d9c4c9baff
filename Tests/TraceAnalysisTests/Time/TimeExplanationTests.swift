import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// Why one task was slower than its peers.
@Suite struct TimeExplanationTests {
    /// A healthy request takes 1 ms in the pool, 1 ms in the queue of the store, and 1 ms in the store.
    private struct Server {
        var trace = TraceBuilder()
        let pool: ExecutorID
        let store: ExecutorID

        enum Cause: CaseIterable {
            case longRun, longBlock, longWaitForPool, longWaitForStore, slowStore, sleep, nothing
        }

        init() {
            pool = trace.executor("pool", .pool)
            store = trace.executor("Store", .queue)
        }

        mutating func request(_ number: Int, slow cause: Cause = .nothing) -> TaskID {
            let request = trace.create(.root, "request \(number)", on: pool, line: 10)
            trace.enqueue(request)
            trace.advance(milliseconds: cause == .longWaitForPool ? 100 : 0)
            trace.start(request)
            trace.advance(milliseconds: cause == .longRun ? 100 : 1)
            if cause == .longBlock {
                let call = trace.label("semaphore", line: 12)
                trace.beginWait(for: .none, by: request, in: call)
                trace.advance(milliseconds: 100)
                trace.endWait(for: .none, by: request)
            }
            let save = trace.create(.root, "save", on: store, line: 20)
            let compact = cause == .longWaitForStore ? beginCompact() : nil
            trace.enqueue(save)
            trace.wait(request, forInner: save)
            trace.endJob(request)
            if let compact { end(compact) }
            trace.advance(milliseconds: 1)
            trace.lane = 1
            trace.start(save)
            trace.advance(milliseconds: cause == .slowStore ? 100 : 1)
            trace.complete(save)
            trace.endJob(save)
            trace.lane = 0
            if cause == .sleep {
                let sleep = trace.delay("backoff", line: 30)
                trace.suspend(request, awaiting: sleep)
                trace.advance(milliseconds: 100)
                trace.complete(sleep)
            }
            trace.complete(request)
            return request
        }

        private mutating func beginCompact() -> TaskID {
            trace.lane = 1
            let compact = trace.create(.root, "compact", on: store, file: "App/Store.swift", line: 40)
            trace.enqueue(compact)
            trace.start(compact)
            trace.lane = 0
            return compact
        }

        private mutating func end(_ compact: TaskID) {
            trace.advance(milliseconds: 100)
            trace.lane = 1
            trace.complete(compact)
            trace.endJob(compact)
            trace.lane = 0
        }

        func explanation(of task: TaskID) throws -> (explanation: TimeExplanation, sentence: String) {
            let store = trace.store(retention: Retention(endedTasks: .max))
            let explanation = TimeAnalysis(store, trace.steps()).explanation(of: try #require(store.task(task)))
            return (explanation, TimeWords(store).sentence(explanation))
        }
    }

    private static let sentences: [Server.Cause: String] = [
        .longRun: "102.0 ms, of which 100.0 ms running `request 50` (main.swift:10); the others run there for 1.0 ms",
        .longBlock: "103.0 ms, of which 100.0 ms blocked in `semaphore` (main.swift:12); the others wait there for 0 ns",
        .longWaitForPool: "103.0 ms, of which 100.0 ms in the queue of `pool`; the others wait there for 0 ns",
        .longWaitForStore:
            "103.0 ms, of which 101.0 ms in the queue of `Store` behind `compact` (Store.swift:40); the others wait there for 1.0 ms",
        .slowStore: "102.0 ms, of which 100.0 ms running `save` (main.swift:20); the others run there for 1.0 ms",
        .sleep: "103.0 ms, of which 100.0 ms waiting for a timer (main.swift:30); the others wait there for 0 ns",
    ]

    @Test("The first segment of a slow request is what made it slow", arguments: sentences.keys.sorted { "\($0)" < "\($1)" })
    private func causes(cause: Server.Cause) throws {
        var server = Server()
        var slow = TaskID.none
        for number in 0..<100 {
            let task = server.request(number, slow: number == 50 ? cause : .nothing)
            if number == 50 { slow = task }
        }
        let (explanation, sentence) = try server.explanation(of: slow)
        #expect(sentence == Self.sentences[cause])
        #expect(explanation.peerCount == 99)
        #expect(explanation.segments?.reduce(0) { $0 + $1.nanoseconds } == explanation.total)
    }

    @Test("A request that lived while records were lost has no segments")
    func losses() throws {
        var server = Server()
        let healthy = server.request(1)
        server.trace.advance(milliseconds: 1)
        let hurt = server.trace.create(.root, "request 2", on: server.pool, line: 10)
        server.trace.lose(3)
        server.trace.complete(hurt)
        let (explanation, sentence) = try server.explanation(of: hurt)
        #expect(explanation.segments == nil)
        #expect(sentence == "0 ns; where its time went is unknown: 3 records were lost")
        #expect(try server.explanation(of: healthy).explanation.segments?.count == 3)
    }
}
