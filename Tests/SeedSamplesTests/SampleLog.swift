import TaskEvents

/// A sample's output and calls, in order.
final class SampleLog: Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(count: Int, CheckedContinuation<[String], Never>)] = []
    }

    private let state = Guarded(State())

    var lines: [String] { state.withLock { $0.lines } }

    func write(_ line: String) {
        let (lines, ready) = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiting.filter { $0.count <= state.lines.count }
            state.waiting.removeAll { $0.count <= state.lines.count }
            return (state.lines, ready)
        }
        for (_, continuation) in ready { continuation.resume(returning: lines) }
    }

    /// The lines, as soon as there are that many.
    func lines(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            let lines = state.withLock { state -> [String]? in
                if state.lines.count >= count { return state.lines }
                state.waiting.append((count, continuation))
                return nil
            }
            if let lines { continuation.resume(returning: lines) }
        }
    }
}
