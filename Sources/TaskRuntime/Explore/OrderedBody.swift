import TaskEvents

/// The body of one order. It is let go of before its end is told, so that the search's caller may lend it.
final class OrderedBody: Sendable {
    typealias Closure = @Sendable () async throws -> Void

    private let closure: Guarded<Closure?>

    init(_ closure: @escaping Closure) { self.closure = Guarded(closure) }

    /// Runs the body, once. Nothing of the order holds the closure when this returns.
    func run() async -> OrderedEnding {
        let closure = closure.withLock { $0.take() }
        do {
            try await closure?()
            return .passed
        } catch let error as OrderedExpectation {
            return .unexpected(text: error.text)
        } catch {
            return .threw(type: "\(type(of: error))", text: "\(error)")
        }
    }
}

/// The bodies of a search that have not ended. Those of a deadlock never do.
final class OrderedBodies: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when all of them have ended.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}

/// The error of a body whose value is not as expected.
struct OrderedExpectation: Error {
    let text: String
}
