import Foundation
import Synchronization
import TaskEvents
import TraceTransport

/// Finds a task by its number, for commands that name one. It holds none.
///
/// Tasks are in it that are made while something records: nobody else sees numbers. It has as many places as a program has live tasks, and
/// some; past that a newer one takes the place of an older, which can then not be commanded.
final class TaskDirectory: Sendable {
    static let shared = TaskDirectory()

    private static let capacity = 1 << 20
    /// In a place whose task somebody is looking at.
    private static let busy: UInt = 1

    /// Zeroed by the system as it is used. Atomics have no other form than their value's.
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Atomic<UInt>>
    /// What the tasks in the places are called in the trace: here, so that a task has no room for what only commands ask.
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

    private func place(of id: TaskID) -> UnsafeMutablePointer<Atomic<UInt>> {
        places + Int(id.rawValue % UInt64(Self.capacity))
    }

    private static func word(_ task: AnyChainTask) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(task).toOpaque())
    }

    func add(_ task: AnyChainTask, called label: EntryID) {
        let place = place(of: task.id)
        labels[Int(task.id.rawValue % UInt64(Self.capacity))].store(label.rawValue, ordering: .relaxed)
        while true {
            let old = place.pointee.load(ordering: .relaxed)
            if old != Self.busy,
                place.pointee.compareExchange(expected: old, desired: Self.word(task), ordering: .releasing).exchanged
            {
                return
            }
        }
    }

    /// Called by the task as it goes: its memory is there until this returns, also for who is looking at it.
    func remove(_ task: AnyChainTask) {
        let place = place(of: task.id), word = Self.word(task)
        while true {
            let (exchanged, original) = place.pointee.compareExchange(expected: word, desired: 0, ordering: .acquiringAndReleasing)
            if exchanged || original != Self.busy { return }
        }
    }

    /// The name and the site of a task that is there; nil for another.
    func label(of id: TaskID) -> Label? {
        guard task(id) != nil else { return nil }
        let label = labels[Int(id.rawValue % UInt64(Self.capacity))].load(ordering: .relaxed)
        return ProcessTrace.shared.label(EntryID(rawValue: label))
    }

    /// The task, unless it is gone or going.
    func task(_ id: TaskID) -> AnyChainTask? {
        let place = place(of: id)
        while true {
            let word = place.pointee.load(ordering: .relaxed)
            guard word != 0 else { return nil }
            guard word != Self.busy,
                place.pointee.compareExchange(expected: word, desired: Self.busy, ordering: .acquiring).exchanged
            else { continue }
            // A task that is going stays until its place is free again, and can be referred to only weakly: by nothing.
            weak var going: AnyChainTask?
            if let opaque = UnsafeRawPointer(bitPattern: word) {
                going = Unmanaged<AnyChainTask>.fromOpaque(opaque).takeUnretainedValue()
            }
            let task = going
            place.pointee.store(word, ordering: .releasing)
            return task?.id == id ? task : nil
        }
    }
}
