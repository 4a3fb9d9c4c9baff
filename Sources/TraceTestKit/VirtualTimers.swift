import TaskEvents
import TaskRuntime

/// Timers whose time a test advances: `Timers.$current.withValue(timers) { … }`. Any thread may use them.
package final class VirtualTimers: TimerService {
    private struct Timer {
        let due: Duration
        let number: Int
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var lastNumber = 0
        var timers: [Timer] = []

        /// Takes the timer that is due next by that time; the oldest of several at one time.
        mutating func takeNext(until end: Duration) -> Timer? {
            guard
                let index = timers.indices.min(by: { (timers[$0].due, timers[$0].number) < (timers[$1].due, timers[$1].number) }),
                timers[index].due <= end
            else { return nil }
            return timers.remove(at: index)
        }
    }

    private let state = Guarded(State())

    package init() {}

    /// The time since the beginning.
    package var now: Duration { state.withLock { $0.now } }

    /// The number of timers that have neither fired nor been cancelled.
    package var count: Int { state.withLock { $0.timers.count } }

    package func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.timers.append(Timer(due: state.now + max(.zero, duration), number: state.lastNumber, action: action))
            return state.lastNumber
        }
        return Scheduled(timers: self, number: number)
    }

    /// Advances the time and fires the due timers on the calling thread in order, with those that fired timers schedule meanwhile.
    package func advance(by duration: Duration) {
        let end = now + duration
        while let timer = state.withLock({ state in
            let timer = state.takeNext(until: end)
            if let timer { state.now = timer.due }
            return timer
        }) {
            timer.action()
        }
        state.withLock { $0.now = end }
    }

    private struct Scheduled: ScheduledTimer {
        let timers: VirtualTimers
        let number: Int

        func cancel() {
            timers.state.withLock { state in state.timers.removeAll { $0.number == number } }
        }
    }
}
