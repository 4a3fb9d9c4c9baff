import Dispatch
import TaskEvents

/// What an executor is: its number in the trace, its gate, and the way to its threads.
final class ExecutorCore: Sendable {
    typealias Job = @Sendable () -> Void

    let kind: ExecutorKind
    let identity: ExecutorIdentity
    /// What decides in the levels' place whether a job of `.default` runs inline.
    private let hasRoom: (@Sendable () -> Bool)?
    private let schedule: @Sendable (@escaping Job) -> Void

    /// How many bodies may stand inside one another on a stack before `.default` dispatches.
    private static let deepestLevel = 20

    var id: ExecutorID { identity.id }

    init(
        _ identity: ExecutorIdentity, kind: ExecutorKind, inlineWhile hasRoom: (@Sendable () -> Bool)? = nil,
        _ schedule: @escaping @Sendable (@escaping Job) -> Void
    ) {
        self.identity = identity
        self.kind = kind
        self.hasRoom = hasRoom
        self.schedule = schedule
    }

    convenience init(name: String, kind: ExecutorKind, _ schedule: @escaping @Sendable (@escaping Job) -> Void) {
        self.init(ExecutorIdentity(name: name, kind: kind), kind: kind, schedule)
    }

    convenience init(name: String, kind: ExecutorKind, _ queue: DispatchQueue) {
        self.init(name: name, kind: kind) { job in queue.async(execute: job) }
    }

    enum Placement {
        case inline
        case queue(HopManner)
    }

    /// Where a job that comes from the calling thread runs. Nothing runs inline whose gate is held: let through, it has a thread of its own.
    var placement: Placement {
        switch kind {
        case .immediate:
            return identity.gate.isHeld ? .queue(.dispatched) : .inline
        case .default:
            guard !identity.gate.isHeld else { return .queue(.dispatched) }
            return hasRoom?() ?? isShallow ? .inline : .queue(.depthGuard)
        case .main:
            return MainQueue.isCurrent && !identity.gate.isHeld ? .inline : .queue(.dispatched)
        case .queue, .operationQueue, .pool, .custom, .actor, .global:
            return .queue(.dispatched)
        }
    }

    private var isShallow: Bool {
        let level = ExecutionFrame.current.map { $0.pointee.level + 1 } ?? 0
        return level <= Self.deepestLevel
    }

    /// Puts a job, a task's or a closure's, into the queue.
    func submit(of task: AnyChainTask?, _ job: @escaping Job) {
        identity.gate.pass(job, of: task, on: id, to: schedule)
    }
}

/// The main queue, and whether the calling thread is on it.
enum MainQueue {
    /// Made when somebody first asks, and on the queue by then.
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static let core = ExecutorCore(ExecutorRegistry.main, kind: .main) { job in DispatchQueue.main.async(execute: job) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
