import Dispatch
import Foundation
import TaskEvents

/// Looks a hundred times a second whether an order goes on.
final class OrderedMonitor: Sendable {
    enum Finding {
        case fine
        /// The thread that has the turn sleeps in a call that the runtime does not see.
        case asleep
        /// The job that has the turn has not begun.
        case unbegun
        /// No thread has the turn, and nothing has come for this number of ticks.
        case silent(Int)
        /// It does not end in time.
        case hangs
    }

    private struct State {
        var steps = -1
        var quiet = 0
        var asleep = 0
    }

    private let state = Guarded(State())
    // Dispatch sources are thread-safe but not marked `Sendable`.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    init() {
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
    ///   - holder: the kernel's number of the thread that has the turn: 0 before it runs, nil if none has it.
    func look(_ steps: Int, _ holder: Int32?) -> Finding {
        let isAsleep = holder.map { $0 != 0 && Self.sleeps($0) } ?? false
        return state.withLock { state in
            if state.steps != steps { state = State(steps: steps) }
            state.quiet += 1
            state.asleep = isAsleep ? state.asleep + 1 : 0
            guard holder != nil else { return state.quiet >= OrderedSettings.quiet ? .silent(state.quiet) : .fine }
            if state.asleep >= OrderedSettings.asleep { return .asleep }
            if holder == 0 { return state.quiet >= OrderedSettings.unbegun ? .unbegun : .fine }
            return state.quiet >= OrderedSettings.longest ? .hangs : .fine
        }
    }

    /// The kernel's number of the calling thread.
    static var callingThread: Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { path in
            let length = readlink("/proc/thread-self", path.baseAddress!, path.count)
            let digits = path.prefix(max(0, length)).reversed().prefix { $0 != 0x2f }.reversed()
            return digits.reduce(0) { $0 &* 10 &+ Int32($1) - 48 }
        }
    }

    /// Whether the kernel says that the thread waits for something.
    private static func sleeps(_ thread: Int32) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/stat") else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        // The name, in parentheses, may contain anything.
        guard let end = text.lastIndex(of: ")") else { return false }
        return text[end...].dropFirst(2).first.map { $0 == "S" || $0 == "D" } ?? false
    }
}
