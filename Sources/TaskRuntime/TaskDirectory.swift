import Foundation
import Synchronization
import TaskEvents

/// Finds a task by its number, for commands that name one, and what it is called. It holds none.
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
    private nonisolated(unsafe) let labels: UnsafeMutablePointer<Atomic<UInt32>>

    private init() {
        places = Self.zeroes(of: Atomic<UInt>.self)
        labels = Self.zeroes(of: Atomic<UInt32>.self)
    }

    private static func zeroes<Word: ~Copyable>(of type: Word.Type) -> UnsafeMutablePointer<Word> {
        guard let memory = calloc(capacity, MemoryLayout<Word>.stride) else {
            fatalError("no memory for the directory of \(capacity) tasks")
        }
        return memory.bindMemory(to: type, capacity: capacity)
    }

    private static func index(of id: TaskID) -> Int { Int(id.rawValue % UInt64(capacity)) }

    private func place(of id: TaskID) -> UnsafeMutablePointer<Atomic<UInt>> { places + Self.index(of: id) }

    private static func word(_ task: AnyChainTask) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(task).toOpaque())
    }

    func add(_ task: AnyChainTask, _ label: EntryID) {
        labels[Self.index(of: task.id)].store(label.rawValue, ordering: .relaxed)
        let place = place(of: task.id)
        while true {
            let old = place.pointee.load(ordering: .relaxed)
            if old != Self.busy,
                place.pointee.compareExchange(expected: old, desired: Self.word(task), ordering: .releasing).exchanged
            {
                return
            }
        }
    }

    /// What the task was added with; none if a newer one has taken its place.
    func label(of task: AnyChainTask) -> EntryID {
        let word = place(of: task.id).pointee.load(ordering: .relaxed)
        guard word == Self.word(task) || word == Self.busy else { return .none }
        return EntryID(rawValue: labels[Self.index(of: task.id)].load(ordering: .relaxed))
    }

    /// Called by the task as it goes: its memory is there until this returns, also for who is looking at it.
    func remove(_ task: AnyChainTask) {
        let place = place(of: task.id), word = Self.word(task)
        while true {
            let (exchanged, original) = place.pointee.compareExchange(expected: word, desired: 0, ordering: .acquiringAndReleasing)
            if exchanged || original != Self.busy { return }
        }
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
