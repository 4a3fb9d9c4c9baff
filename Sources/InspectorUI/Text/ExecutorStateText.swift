import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The number of jobs that run on an executor and of those in its queue. In a program that has ended they neither run nor wait any more.
enum ExecutorStateText {
    /// `1 running  2 queued`, `idle`, or `at exit: 1 running, 2 queued`.
    static func spans(_ executor: ExecutorView, gap: String, showsEmptyQueue: Bool = false, _ shared: SharedState) -> [Span] {
        let running = executor.openJobs.count
        let depth = executor.depth
        let queued = depth > 0 ? Span("\(CountText.text(depth)) queued", .queued) : showsEmptyQueue ? Span("0 queued", .dim) : nil
        guard running > 0 || depth > 0, shared.isOver else {
            let state =
                running == 0
                ? Span("idle", .dim) : blocked(executor, running, shared) ?? Span("\(CountText.text(running)) running", .running)
            return [Span(gap), state] + (queued.map { [Span(gap), $0] } ?? [])
        }
        let open = [running > 0 ? Span("\(CountText.text(running)) running", .warning) : nil, depth > 0 ? queued : nil].compactMap { $0 }
        return [Span(gap), Span("at exit: ", .warning), open[0]] + open.dropFirst().flatMap { [Span(", ", .dim), $0] }
    }
    /// `1 blocked in read`, if a look from outside has found all of the executor's jobs so.
    private static func blocked(_ executor: ExecutorView, _ running: Int, _ shared: SharedState) -> Span? {
        let calls = executor.openJobs.compactMap { shared.store.sight(of: $0)?.blockingCall }
        guard let call = calls.first, calls.count == running else { return nil }
        return Span("\(CountText.text(running)) blocked in \(PrintableText.text(call))", .warning)
    }
}
