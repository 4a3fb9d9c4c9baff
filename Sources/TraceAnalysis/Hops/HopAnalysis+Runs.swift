import TaskEvents
import TraceStore

/// A short visit to another executor.
struct RoundTrip {
    var there: Hop
    var back: Hop
    var visitor: TaskView
}

/// Finds consecutive hops of one class, backwards along a chain.
extension HopAnalysis {
    /// The consecutive short visits of the chain before the job of `task`, the latest first. At most `limit`.
    func roundTrips(to task: TaskView, limit: Int) -> [RoundTrip] {
        var trips: [RoundTrip] = []
        var last = task
        while trips.count < limit, let (trip, begin) = roundTrip(to: last) {
            trips.append(trip)
            last = begin
        }
        return trips
    }

    /// The visit from which the job of `task` came back, and the task whose job began it.
    private func roundTrip(to task: TaskView) -> (RoundTrip, begin: TaskView)? {
        guard let visitor = jobBefore(task), let begin = jobBefore(visitor) else { return nil }
        for back in task.hops {
            for there in visitor.hops where isShortVisit(there: there, visitor: visitor, back: back) {
                return (RoundTrip(there: there, back: back, visitor: visitor), begin)
            }
        }
        return nil
    }

    /// The consecutive redundant hops onto `executor` of the chain's jobs up to that of `task`, the latest first. At most `limit`.
    func redundantHops(to task: TaskView, on executor: ExecutorID, limit: Int) -> [Hop] {
        var hops: [Hop] = []
        var job: TaskView? = task
        while hops.count < limit, let next = job {
            let hop = next.hops.first { $0.from == executor && $0.to == executor && $0.manner == .dispatched }
            guard let hop else { break }
            hops.append(hop)
            job = jobBefore(next)
        }
        return hops
    }
}
