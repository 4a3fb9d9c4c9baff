import CTraceLanes
import Foundation
import Synchronization
import TaskEvents
import TraceTransport

/// Numbers tasks in the order they are made, and counts those that have been released.
enum TaskCounter {
    private static let last = Atomic<UInt64>(0)
    private static let released = Atomic<UInt64>(0)

    /// Tasks that exist. Exact while no other thread makes or releases one.
    static var liveCount: Int {
        // In this order: a task is made before it is released.
        let released = released.load(ordering: .acquiring)
        return Int(last.load(ordering: .relaxed) - released)
    }

    static func next() -> TaskID {
        let count = last.add(1, ordering: .relaxed).newValue
        // Under a probe, chains and Swift's tasks have one sequence of numbers.
        return TaskID(rawValue: trace_has_both_worlds() ? trace_next_task() : count)
    }

    static func noteReleased() {
        released.add(1, ordering: .releasing)
    }
}

/// Finds a task by its number, for commands that name one. Keeps no task alive.
///
/// Lists the tasks that are made while something records: only a trace shows numbers. It has as many places as a program has live tasks,
/// and more. Past that, a newer task takes the place of an older one, which then cannot be commanded.
final class TaskDirectory: Sendable {
    static let shared = TaskDirectory()

    private static let capacity = 1 << 20
    /// The content of a place that a thread is looking at.
    private static let busy: UInt = 1

    /// Zeroed by the system as it is used. Atomics have no other form than their value's.
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Atomic<UInt>>
    /// The labels of the tasks in the places. They are here and not in the task because only commands need them.
    private nonisolated(unsafe) let labels: UnsafeMutablePointer<Atomic<UInt32>>

    private init() {
        places = Self.zeroes()
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
        while true {
            let old = places[index].load(ordering: .relaxed)
            if old != Self.busy,
                places[index].compareExchange(expected: old, desired: Self.word(task), ordering: .releasing).exchanged
            {
                return
            }
        }
    }

    /// Called by the task's `deinit`. Waits while a thread is looking at the place, so the task's memory lasts as long as the look.
    func remove(_ task: AnyObject, _ id: TaskID) {
        let place = places + Self.index(of: id), word = Self.word(task)
        while true {
            let (exchanged, original) = place.pointee.compareExchange(expected: word, desired: 0, ordering: .acquiringAndReleasing)
            if exchanged || original != Self.busy { return }
        }
    }

    /// The label of the task that has the place of that number.
    func label(at id: TaskID) -> Label? {
        ProcessTrace.shared.label(EntryID(rawValue: labels[Self.index(of: id)].load(ordering: .relaxed)))
    }

    /// The task that has the place of that number, unless it is gone or deinitialising.
    ///
    /// Swift's runtime decides that in the step in which it makes the reference, as it does for weak ones; no other use is made of the
    /// object before. The object's memory is there, because `deinit` waits in `remove(_:_:)`.
    func task(at id: TaskID) -> AnyObject? {
        let place = places + Self.index(of: id)
        while true {
            let word = place.pointee.load(ordering: .relaxed)
            guard word != 0 else { return nil }
            guard word != Self.busy,
                place.pointee.compareExchange(expected: word, desired: Self.busy, ordering: .acquiring).exchanged
            else { continue }
            let object = swift_tryRetain(UnsafeMutableRawPointer(bitPattern: word))
            place.pointee.store(word, ordering: .releasing)
            return object.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
        }
    }
}
