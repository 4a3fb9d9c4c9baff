import TaskEvents

/// Values by task. Rules look tasks up several times for each event, and a look-up here costs a fraction of a dictionary's.
///
/// A value is in the first place that was free from its task's own place on. The seed keeps a program from choosing task numbers that all
/// share one place. The number `UInt64.max` belongs to no task: it gets no value.
struct TaskMap<Value> {
    /// By slot, the task's number plus one. 0 marks a free slot.
    private var keys: ContiguousArray<UInt64> = []
    private var values: ContiguousArray<Value?> = []
    private(set) var count = 0
    private let seed = UInt64.random(in: .min ... .max)

    var isEmpty: Bool { count == 0 }

    subscript(task: TaskID) -> Value? {
        get { find(task).flatMap { values[$0] } }
        _modify {
            let key = task.rawValue &+ 1
            if count * 4 >= keys.count * 3 { grow() }
            let slot = slot(of: key)
            var value: Value?
            swap(&value, &values[slot])
            let isKnown = value != nil
            defer {
                if value != nil, key != 0 {
                    swap(&value, &values[slot])
                    keys[slot] = key
                    count += isKnown ? 0 : 1
                } else if isKnown {
                    free(slot)
                }
            }
            yield &value
        }
    }

    func contains(_ task: TaskID) -> Bool { find(task) != nil }

    mutating func remove(_ task: TaskID) -> Value? {
        guard let slot = find(task) else { return nil }
        defer { free(slot) }
        return values[slot]
    }

    /// The values, by ascending task.
    func sorted() -> [(key: TaskID, value: Value)] {
        var pairs: [(key: TaskID, value: Value)] = []
        for slot in keys.indices {
            if let value = values[slot] { pairs.append((TaskID(rawValue: keys[slot] - 1), value)) }
        }
        return pairs.sorted { $0.key < $1.key }
    }

    // MARK: Places

    private func find(_ task: TaskID) -> Int? {
        guard count > 0 else { return nil }
        let slot = slot(of: task.rawValue &+ 1)
        return keys[slot] == 0 ? nil : slot
    }

    /// The place that holds the key, or the free one that will. A quarter of the places are free.
    private func slot(of key: UInt64) -> Int {
        var slot = ownSlot(of: key)
        while keys[slot] != key, keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
        return slot
    }

    private func ownSlot(of key: UInt64) -> Int {
        let product = (key ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low) & (keys.count - 1)
    }

    /// Frees a place, and moves later keys up that would not be found past it.
    private mutating func free(_ slot: Int) {
        let last = keys.count - 1
        var hole = slot
        var next = (hole + 1) & last
        while keys[next] != 0 {
            if (next - ownSlot(of: keys[next])) & last >= (next - hole) & last {
                keys[hole] = keys[next]
                values.swapAt(hole, next)
                hole = next
            }
            next = (next + 1) & last
        }
        keys[hole] = 0
        values[hole] = nil
        count -= 1
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        let size = max(16, keys.count * 2)
        keys = ContiguousArray(repeating: 0, count: size)
        values = ContiguousArray(repeating: nil, count: size)
        for (key, value) in zip(oldKeys, oldValues) where key != 0 {
            let slot = slot(of: key)
            keys[slot] = key
            values[slot] = value
        }
    }
}

/// Values by a small number, such as a lane's or an executor's. The memory is that of the largest number.
struct NumberedValues<Value> {
    private var values: ContiguousArray<Value?> = []

    subscript(number: Int) -> Value? {
        get { number < values.count ? values[number] : nil }
        _modify {
            while values.count <= number { values.append(nil) }
            yield &values[number]
        }
    }

    subscript(executor: ExecutorID) -> Value? {
        get { self[Int(executor.rawValue)] }
        _modify { yield &self[Int(executor.rawValue)] }
    }

    /// The values with their numbers, in their order.
    var pairs: [(number: Int, value: Value)] {
        values.indices.compactMap { number in values[number].map { (number, $0) } }
    }
}
