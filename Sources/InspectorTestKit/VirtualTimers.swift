import TaskEvents
import TaskRuntime

/// Timers whose time stands still until a test moves it: `Timers.$current.withValue(timers) { … }`. Any thread may use them.
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

        /// Takes out the timer that is due next, if it is by then; of several at one time, the one made first.
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

    /// How much time has passed since the beginning.
    package var now: Duration { state.withLock { $0.now } }

    /// How many timers have neither fired nor been cancelled.
    package var count: Int { state.withLock { $0.timers.count } }

    package func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.timers.append(Timer(due: state.now + max(.zero, duration), number: state.lastNumber, action: action))
            return state.lastNumber
        }
        return Scheduled(timers: self, number: number)
    }

    /// Lets time pass, and fires on the calling thread what is due, each at its time, also what the fired ones schedule meanwhile.
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
