import TaskEvents
import TraceAnalysis

extension Snapshot {
    /// Threads that wait for one another's queues, each for the next one's and the last for the first one's. Each ring is listed once, from
    /// its lowest thread.
    package var queueRings: [[RemoteThread]] {
        let waiting = Dictionary(threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return threads.compactMap { start in
            var ring = [start]
            while let holder = ring[ring.count - 1].queueWait?.holder.flatMap({ waiting[$0] }), ring.count <= threads.count {
                if holder.id == start.id { return ring }
                // A ring that does not lead back to its start has a lower thread, or begins later.
                guard holder.id > start.id else { return nil }
                ring.append(holder)
            }
            return nil
        }
    }
}

extension Snapshot {
    func thread(_ id: Int32) -> RemoteThread? { threads.first { $0.id == id } }
}

extension SnapshotSymbols {
    /// `queue app.second, held by thread 12 at Main.swift:9 in load()`.
    func text(of wait: QueueWait, in snapshot: Snapshot) -> String {
        let holder = wait.holder.map { ", held by thread \($0)\(snapshot.thread($0).map(place) ?? "")" } ?? ""
        return "queue \(PrintableText.text(wait.queue))\(holder)"
    }

    /// One clause about threads that wait for one another's queues.
    func text(ofRing ring: [RemoteThread], in snapshot: Snapshot) -> String {
        let links = ring.map { thread in
            "thread \(thread.id)\(place(of: thread))\(thread.id == ring[0].id ? "" : ", which") waits for queue "
                + PrintableText.text(thread.queueWait?.queue ?? "")
        }
        return links.joined(separator: ", held by ") + ", held by thread \(ring[0].id): none of them can go on."
    }

    /// ` at Main.swift:9 in load()`: the innermost of the program's own functions with a line. Empty if none is known.
    private func place(of thread: RemoteThread) -> String {
        let own = calls(at: thread.stack).filter { !$0.isMachinery }
        // In a program with the Swift libraries in its file, their functions are without a line.
        guard let own = own.first(where: { !$0.site.isEmpty }) ?? own.first else { return "" }
        let function = "in \(PrintableText.text(own.function))"
        return own.site.isEmpty ? " \(function)" : " at \(PrintableText.text(own.site)) \(function)"
    }
}
