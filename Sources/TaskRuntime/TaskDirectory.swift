import CTraceLanes
import Foundation
import Synchronization
import TaskEvents
import TraceTransport

/// Numbers tasks in the order of their creation, and counts released tasks.
enum TaskCounter {
    private static let last = Atomic<UInt64>(0)
    private static let released = Atomic<UInt64>(0)

    /// The number of tasks that exist. Exact while no other thread makes or releases a task.
    static var liveCount: Int {
        // Loaded in this order, because a task is made before it is released.
        let released = released.load(ordering: .acquiring)
        return Int(last.load(ordering: .relaxed) - released)
    }

    static func next() -> TaskID {
        let count = last.add(1, ordering: .relaxed).newValue
        // With a probe, chains and Swift tasks share one sequence of numbers.
        return TaskID(rawValue: sharesNumbers ? trace_next_task() : count)
    }

    /// Whether Swift tasks have numbers of the same sequence.
    static var sharesNumbers: Bool { trace_has_both_worlds() }

    /// Whether the number may have been given to a task.
    static func mayHaveMade(_ id: TaskID) -> Bool {
        id != .none && (sharesNumbers || id.rawValue <= last.load(ordering: .relaxed))
    }

    static func noteReleased() {
        released.add(1, ordering: .releasing)
    }
}

/// Finds a task by its number, for commands that name one. Keeps no task alive.
///
/// Lists only tasks that are made while a trace is recorded, because only a trace shows numbers. The number of places exceeds the usual
/// number of live tasks. With more tasks, a newer one replaces an older one, which then cannot be commanded.
///
/// Every task enters and leaves, and a command comes now and then, so the command pays for their agreement. It announces the place that it
/// reads, and then makes every thread pass a fence. After that, a task that leaves either has cleared its place, or sees the announcement
/// and waits.
final class TaskDirectory: Sendable {
    static let shared = TaskDirectory()

    private static let capacity = 1 << 20

    /// The place that a command reads, plus one; 0 if none does.
    private let announced = Atomic<Int>(0)
    /// Lets one command read at a time.
    private let turn = Guarded<Void>(())

    /// The system zeroes this memory on first use. An atomic has the same layout as its value.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt>>
    /// The labels of the tasks in the places. They are not stored in the task, because only commands need them.
    private nonisolated(unsafe) let labels: UnsafeMutablePointer<Atomic<UInt32>>

    private init() {
        slots = Self.zeroes()
        labels = Self.zeroes()
    }

    private static func zeroes<Element: ~Copyable>() -> UnsafeMutablePointer<Element> {
        guard let memory = calloc(capacity, MemoryLayout<Element>.stride) else {
            fatalError("no memory for the directory of \(capacity) tasks")
        }
        return memory.bindMemory(to: Element.self, capacity: capacity)
    }

    private static func index(of id: TaskID) -> Int {
        Int(id.rawValue % UInt64(capacity))
    }

    private static func word(_ task: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(task).toOpaque())
    }

    func add(_ task: AnyObject, _ id: TaskID, called label: EntryID) {
        let index = Self.index(of: id)
        labels[index].store(label.rawValue, ordering: .relaxed)
        slots[index].store(Self.word(task), ordering: .releasing)
    }

    /// Called by the task's `deinit`. Waits while a command reads the place, so that the task's memory outlives the read.
    ///
    /// If a newer task takes the place between the two accesses, that task is not listed either.
    func remove(_ task: AnyObject, _ id: TaskID) {
        let index = Self.index(of: id)
        if slots[index].load(ordering: .relaxed) == Self.word(task) { slots[index].store(0, ordering: .relaxed) }
        trace_fence_compiler()
        while announced.load(ordering: .acquiring) == index + 1 {}
    }

    /// Whether the kernel offers the fence without which no command can find a task.
    static var isReadable: Bool { trace_fence_threads() }

    /// The label of the task in the place for that number.
    func label(at id: TaskID) -> Label? {
        ProcessTrace.shared.label(EntryID(rawValue: labels[Self.index(of: id)].load(ordering: .relaxed)))
    }

    /// The task in the place for that number, unless it is gone or deinitialising.
    ///
    /// Swift's runtime checks this in the same step in which it takes the reference, as for weak references. Nothing uses the object before
    /// that step. The object's memory still exists, because `deinit` waits in `remove(_:_:)`.
    func task(at id: TaskID) -> AnyObject? {
        let index = Self.index(of: id)
        return turn.withLock { _ in
            announced.store(index + 1, ordering: .relaxed)
            defer { announced.store(0, ordering: .releasing) }
            guard trace_fence_threads() else { return nil }
            let object = UnsafeMutableRawPointer(bitPattern: slots[index].load(ordering: .acquiring)).flatMap { swift_tryRetain($0) }
            return object.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
        }
    }
}
