import Dispatch
import Foundation
import TaskEvents

/// Looks a hundred times a second whether an order goes on.
final class OrderedMonitor: Sendable {
    private struct State {
        var patience = OrderedPatience()
        var used: UInt64 = 0
        var usedByHolder: UInt64 = 0
    }

    private let state = Guarded(State())
    // Dispatch sources are thread-safe but not marked `Sendable`.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    private let clock: TimeSource

    init(_ clock: TimeSource) {
        self.clock = clock
        source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "hopscope explore"))
    }

    func start(_ look: @escaping @Sendable () -> Void) {
        source.schedule(deadline: .now() + .milliseconds(10), repeating: .milliseconds(10))
        source.setEventHandler(handler: look)
        source.activate()
    }

    func stop() { source.cancel() }

    /// - Parameters:
    ///   - steps: how many steps the order has taken.
    ///   - holder: the thread that has the turn; nil if none has it.
    func look(_ steps: Int, _ holder: OrderedThread.Seen?) -> OrderedPatience.Finding {
        state.withLock { state in
            guard state.patience.hasStopped(at: steps) else {
                state.used = KernelThreads.used
                state.usedByHolder = holder.map { KernelThreads.used(by: $0.kernelNumber) } ?? 0
                return .fine
            }
            guard state.patience.wantsLook(), let runnable = KernelThreads.runnable(clock) else { return .fine }
            let used = KernelThreads.used
            defer { state.used = used }
            var (seen, usedByHolder) = (OrderedPatience.Holder.none, UInt64(0))
            if let holder {
                let isRunning = holder.isComing || runnable.contains(holder.kernelNumber)
                seen = holder.kernelNumber == 0 ? .unbegun : isRunning ? .running : .asleep
                usedByHolder = KernelThreads.used(by: holder.kernelNumber) &- state.usedByHolder
            }
            return state.patience.look(seen, runnable: runnable.count, used: used - state.used, usedByHolder: usedByHolder)
        }
    }
}
