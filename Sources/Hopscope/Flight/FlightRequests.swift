import Dispatch
import TaskEvents

/// Recordings that other threads ask a flight recorder's thread for. Any thread may call it.
final class FlightRequests: Sendable {
    /// One request. Its answer is the recording's path.
    final class Request: Sendable {
        let cause: FlightCause
        private let done = DispatchSemaphore(value: 0)
        private let result = Guarded<Result<String, any Error>?>(nil)

        init(_ cause: FlightCause) {
            self.cause = cause
        }

        func answer(_ answer: Result<String, any Error>) {
            result.withLock { $0 = answer }
            done.signal()
        }

        func wait() throws -> String {
            done.wait()
            return try result.withLock { $0 }!.get()
        }
    }

    private let state = Guarded((waiting: [Request](), isClosed: false))

    /// A request that waits for the same cause is used again. Nil if the recorder has stopped.
    func ask(_ cause: FlightCause, isShared: Bool = false) -> Request? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            if isShared, let waiting = state.waiting.first(where: { $0.cause == cause }) { return waiting }
            let request = Request(cause)
            state.waiting.append(request)
            return request
        }
    }

    /// The waiting requests, which the caller must answer.
    func take(isLast: Bool = false) -> [Request] {
        state.withLock { state in
            defer { state.waiting = [] }
            if isLast { state.isClosed = true }
            return state.waiting
        }
    }
}
