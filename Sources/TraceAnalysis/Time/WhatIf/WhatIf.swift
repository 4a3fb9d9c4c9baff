import TaskEvents
import TraceStore
import TraceTransport

/// A change that was not made: a place's jobs take less or more time, or an executor runs more or fewer jobs at once.
package struct Change: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The jobs of the tasks made at a place take their time divided by `speed`.
        case speed(place: String, Double)
        case width(executor: String, Int)
    }

    let kind: Kind
    /// The change as it was written.
    package let text: String

    /// The factors of a change. Beyond them, jobs would take no time at all, or longer than any trace.
    private static let factors: ClosedRange<Double> = 1e-6...1e6

    /// Reads `PLACE 2x faster`, `PLACE 1.5x slower` or `EXECUTOR width 4`. Nil for any other text.
    package init?(_ text: String) {
        self.text = text
        var words = text.split(separator: " ")
        guard words.count >= 3, let last = words.popLast(), let word = words.popLast() else { return nil }
        let subject = words.joined(separator: " ")
        if word == "width", let width = Int(last), (1...4096).contains(width) {
            kind = .width(executor: subject, width)
        } else if word.last == "x", let factor = Double(word.dropLast()), Self.factors.contains(factor),
            last == "faster" || last == "slower"
        {
            kind = .speed(place: subject, last == "faster" ? factor : 1 / factor)
        } else {
            return nil
        }
    }
}

/// The times that the chains, or the tasks made at a place, would take with a change. It plays the recorded jobs again to find them.
package struct WhatIf: Sendable {
    package struct Times: Hashable, Sendable {
        package let median: UInt64
        package let p99: UInt64

        init(_ times: [UInt64]) {
            let percentiles = Percentiles(times)
            (median, p99) = (percentiles.value(at: 50) ?? 0, percentiles.value(at: 99) ?? 0)
        }
    }

    /// The reason why there is no answer, as a sentence.
    package struct Refusal: Error, Hashable, Sendable {
        package let text: String
        /// Whether the change names something that the trace does not have.
        package var isMisnamed = false
    }

    package let change: Change
    /// The times that they took.
    package let base: Times
    package let new: Times
    /// The number of chains that have ended, or of tasks: "400 chains".
    package let timed: String

    /// The processors were the limit if the kernel had none for the jobs for this share of the time that they ran.
    private static let runnableShare = 0.25

    /// The share of tasks that may miss the task that woke them together with others.
    private static let missedShare = 0.01

    /// - Parameter place: The tasks that were made there are timed; nil for all chains.
    package init(_ change: Change, _ store: TraceStore, _ steps: TaskSteps, madeAt place: String? = nil) throws(Refusal) {
        self.change = change
        guard store.lostCount == 0 else { throw Refusal(text: "\(CountText.text(store.lostCount, "record")) of the trace were lost.") }
        let graph = JobGraph(store, steps)
        let chains = ChainTimes(graph, store, madeAt: place)
        guard !chains.recorded.isEmpty else {
            throw place.map { Refusal(text: "No ended task of the trace was made at '\($0)'.", isMisnamed: true) }
                ?? Refusal(text: "No chain of the trace has ended, so none has a time to compare; '--where' times the tasks of a place.")
        }
        let observed = ExecutorWidths(graph, store, chainTime: chains.recorded.reduce(0) { $0.plus($1) })
        if let executor = observed.limitedByProcessors {
            throw Refusal(
                text: "The processors were the limit: jobs waited for \(TaskWords(store).name(executor)) while all its threads ran.")
        }
        guard graph.runnable == 0 || Double(graph.runnable) < Double(graph.ran) * Self.runnableShare else {
            let share = min(100, Double(graph.runnable) * 100 / Double(max(1, graph.ran)))
            throw Refusal(text: "The processors were the limit: jobs were without one for \(UInt64(share)) % of their time.")
        }
        let durations = graph.jobs.map(\.duration)
        let changed = try Self.apply(change, graph, observed.widths, store)
        let before = JobReplay(graph, widths: observed.widths, durations: durations, delays: observed.delays)
        let after = JobReplay(graph, widths: changed.widths, durations: changed.durations, delays: observed.delays)
        let missed = graph.wokenTogether().filter { after.isCausedTooEarly($0) }
        guard missed.count <= Int(Double(chains.recorded.count) * Self.missedShare) else {
            let waker = TaskWords(store).name(of: graph.jobs[Int(graph.jobs[missed[0]].cause)].task)
            throw Refusal(text: "`\(waker)` resumes whatever waits when it runs, and with the change that would be other tasks.")
        }
        base = Times(chains.recorded)
        new = Times(chains.predicted(before, after))
        timed = CountText.text(chains.recorded.count, place == nil ? "chain" : "task")
    }

    private static func apply(
        _ change: Change, _ graph: JobGraph, _ widths: JobReplay.Widths, _ store: TraceStore
    ) throws(Refusal) -> (widths: JobReplay.Widths, durations: [UInt64]) {
        var durations = graph.jobs.map(\.duration)
        switch change.kind {
        case .width(let name, let width):
            var widths = widths
            let executors = Set(graph.jobs.map(\.executor)).filter { $0 != .none && store.description(of: $0).name == name }
            guard !executors.isEmpty else { throw Refusal(text: "No job ran on an executor '\(name)'.", isMisnamed: true) }
            for executor in executors { widths[executor] = width }
            return (widths, durations)
        case .speed(let place, let speed):
            let fits = Set(graph.byTask.keys.filter { store.task($0).map { $0.isMade(at: place) || $0.label.name == place } ?? false })
            guard !fits.isEmpty else { throw Refusal(text: "No task that ran was made at '\(place)'.", isMisnamed: true) }
            // A job inside another one takes part of the other's time. The inner ones come later in time, so their savings are known first.
            for index in graph.jobs.indices.sorted(by: { graph.jobs[$0].start > graph.jobs[$1].start }) {
                let job = graph.jobs[index]
                if fits.contains(job.task) { durations[index] = durations[index].times(1 / speed) }
                guard job.outer >= 0 else { continue }
                let outer = Int(job.outer)
                let time = durations[outer].plus(durations[index])
                durations[outer] = time > job.duration ? time - job.duration : 0
            }
            return (widths, durations)
        }
    }
}
