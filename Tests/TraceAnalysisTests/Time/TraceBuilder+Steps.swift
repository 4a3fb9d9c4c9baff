import TraceAnalysis
import TraceTestKit
import TraceTransport

extension TraceBuilder {
    /// The steps of all tasks, with the times of a profile if there is one.
    func steps(_ profile: ThreadProfile? = nil) -> TaskSteps {
        var steps = TaskSteps()
        steps.add(EventStretch(first: 1, events: events, lanes: lanes))
        steps.threadTimes = profile.map { ThreadTimes($0) }
        return steps
    }
}
