import Dispatch
import TaskEvents

/// An executor's identity, and the closure that schedules its jobs.
final class ExecutorCore: Sendable {
    typealias Job = @Sendable () -> Void
    typealias Schedule = @Sendable (@escaping Job) -> Void

    let kind: ExecutorKind
    let identity: ExecutorIdentity
    /// Decides whether a job of `.default` runs inline; if nil, the nesting level decides.
    private let hasRoom: (@Sendable () -> Bool)?
    private let schedule: Schedule
    /// How many jobs the executor runs at a time. Called only while orders are explored.
    private let width: @Sendable () -> Int

    /// The number of bodies that may be nested on a stack before `.default` dispatches.
    private static let deepestLevel = 20

    var id: ExecutorID { identity.id }

    init(
        _ identity: ExecutorIdentity, kind: ExecutorKind, inlineWhile hasRoom: (@Sendable () -> Bool)? = nil,
        width: @escaping @Sendable () -> Int = { .max }, _ schedule: @escaping Schedule
    ) {
        self.width = width
        self.identity = identity
        self.kind = kind
        self.hasRoom = hasRoom
        self.schedule = schedule
    }

    convenience init(
        name: String, kind: ExecutorKind, width: @escaping @Sendable () -> Int = { .max }, _ schedule: @escaping Schedule
    ) {
        self.init(Gatekeeper.shared.identity(name: name, kind: kind), kind: kind, width: width, schedule)
    }

    convenience init(name: String, kind: ExecutorKind, _ queue: DispatchQueue) {
        self.init(name: name, kind: kind) { job in queue.async(execute: job) }
    }

    enum Placement {
        case inline
        case queue(HopManner)
    }

    /// The way in which a job from the calling thread runs. While the gate is held, no job runs inline, because a stepped job runs on a
    /// thread of its own.
    var placement: Placement {
        switch kind {
        case .immediate:
            return identity.gate.isHeld ? .queue(.dispatched) : .inline
        case .default:
            guard !identity.gate.isHeld else { return .queue(.dispatched) }
            return hasRoom?() ?? isShallow ? .inline : .queue(.depthGuard)
        case .main:
            return MainQueue.isCurrent && !identity.gate.isHeld ? .inline : .queue(.dispatched)
        case .queue, .operationQueue, .pool, .custom, .actor, .global, .loop:
            return .queue(.dispatched)
        }
    }

    private var isShallow: Bool {
        let level = ExecutionFrame.current.map { $0.pointee.level + 1 } ?? 0
        return level <= Self.deepestLevel
    }

    /// Enqueues a job of `task`, or of a closure if `task` is `.none`.
    func submit(of task: TaskID = .none, in chain: TaskID = .none, _ job: @escaping Job) {
        if let run = Exploration.current, run.take(job, of: task, on: lane, schedule) { return }
        identity.gate.pass(job, of: task, in: chain, on: id, to: schedule)
    }
}

extension ExecutorCore {
    private var lane: OrderedLane {
        OrderedLane(
            id: ObjectIdentifier(identity), name: identity.name, width: width(), isMain: kind == .main, isCustom: kind == .custom)
    }
}

/// The main queue, and whether the calling thread is on it.
enum MainQueue {
    /// Set on the queue before it is first used.
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static let core = ExecutorCore(ExecutorRegistry.main, kind: .main, width: { 1 }) { job in DispatchQueue.main.async(execute: job) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
