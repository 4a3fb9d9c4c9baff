import TaskEvents
import TraceStore

/// The time that each chain took that has ended, or each task made at a place: as recorded, and as a change would make it.
struct ChainTimes {
    private struct Chain {
        var created = UInt64.max
        var ended: UInt64 = 0
        var isOpen = false
        /// The first job, and the time from the chain's creation until it was queued.
        var first: Int?
        var delay: UInt64 = 0
        /// The jobs of its tasks.
        var last: [Int] = []
    }

    private var chains: [Chain] = []

    /// - Parameter place: Each task made there is timed by itself, because the requests of a server can belong to the server's own chain.
    init(_ graph: JobGraph, _ store: TraceStore, madeAt place: String?) {
        var byID: [TaskID: Chain] = [:]
        for row in store.rows {
            let task = store[row]
            if JobGraph.isTimer(task) || place.map({ !task.isMade(at: $0) }) ?? false { continue }
            let id = place == nil ? task.chain : task.id
            var chain = byID[id] ?? Chain()
            if let created = task.created, let ended = task.ended {
                chain.created = min(chain.created, created)
                chain.ended = max(chain.ended, ended)
            } else {
                chain.isOpen = true
            }
            if let jobs = graph.byTask[task.id] {
                if graph.jobs[jobs.lowerBound].queued < chain.first.map({ graph.jobs[$0].queued }) ?? .max { chain.first = jobs.lowerBound }
                chain.last.append(jobs.upperBound - 1)
            }
            byID[id] = chain
        }
        chains = byID.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isOpen && $0.first != nil && $0.ended >= $0.created }
        for index in chains.indices {
            guard let first = chains[index].first else { continue }
            let queued = graph.jobs[first].queued
            chains[index].delay = queued > chains[index].created ? queued - chains[index].created : 0
        }
    }

    var recorded: [UInt64] { chains.map { $0.ended - $0.created } }

    /// The recorded times with the difference that the change makes between two plays. What a play leaves out, such as the time until a
    /// thread wakes up, is in both.
    func predicted(_ before: JobReplay, _ after: JobReplay) -> [UInt64] {
        chains.map { chain in
            let difference = Int64(time(of: chain, in: after)) - Int64(time(of: chain, in: before))
            return UInt64(max(0, Int64(chain.ended - chain.created) + difference))
        }
    }

    private func time(of chain: Chain, in replay: JobReplay) -> UInt64 {
        guard let first = chain.first else { return 0 }
        let start = replay.queued[first] - min(chain.delay, replay.queued[first])
        let end = chain.last.reduce(0) { max($0, replay.end(of: $1)) }
        return end > start ? end - start : 0
    }
}
