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

    /// A recording has every event that was emitted before its request's time.
    private typealias Waiting = (request: Request, time: UInt64)

    private let state = Guarded((waiting: [Waiting](), isClosed: false))

    /// A request for the time `now`. A request that waits for the same cause is used again. Nil if the recorder has stopped.
    func ask(_ cause: FlightCause, now: UInt64, isShared: Bool = false) -> Request? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            if isShared, let index = state.waiting.firstIndex(where: { $0.request.cause == cause }) {
                state.waiting[index].time = now
                return state.waiting[index].request
            }
            let request = Request(cause)
            state.waiting.append((request, now))
            return request
        }
    }

    /// The waiting requests for times up to `time`, which the caller must answer.
    func take(until time: UInt64) -> [Request] {
        state.withLock { state in
            defer { state.waiting.removeAll { $0.time <= time } }
            return state.waiting.filter { $0.time <= time }.map(\.request)
        }
    }

    /// The waiting requests, which the caller must answer. No more are taken.
    func takeLast() -> [Request] {
        state.withLock { state in
            defer { state.waiting = [] }
            state.isClosed = true
            return state.waiting.map(\.request)
        }
    }
}
