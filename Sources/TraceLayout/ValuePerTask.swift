import TaskEvents

/// A value per task, found by its id in constant time.
///
/// Ids are sequential, so values are stored in pages of consecutive ids. A page is freed with its last value. A dictionary finds the page
/// of an id, so a damaged trace with widely spaced ids costs one page per id.
struct ValuePerTask<Value> {
    private struct Page {
        var count = 0
        var values: ContiguousArray<Value?>

        /// True if there was no value.
        mutating func put(_ value: Value, at slot: Int) -> Bool {
            let isNew = values[slot] == nil
            values[slot] = value
            if isNew { count += 1 }
            return isNew
        }

        /// True if there was a value.
        mutating func remove(at slot: Int) -> Bool {
            guard values[slot] != nil else { return false }
            values[slot] = nil
            count -= 1
            return true
        }

        mutating func update(at slot: Int, _ change: (inout Value) -> Void) {
            guard var value = values[slot] else { return }
            change(&value)
            values[slot] = value
        }
    }

    private static var pageBits: UInt64 { 10 }
    private static var pageSize: Int { 1 << Int(pageBits) }

    private var pages: [UInt64: Page] = [:]
    private(set) var count = 0

    subscript(task: TaskID) -> Value? {
        get {
            pages[task.rawValue >> Self.pageBits]?.values[Self.slot(of: task)]
        }
        set {
            let key = task.rawValue >> Self.pageBits
            let slot = Self.slot(of: task)
            if let newValue {
                let isNew =
                    pages[key, default: Page(values: ContiguousArray(repeating: nil, count: Self.pageSize))].put(newValue, at: slot)
                if isNew { count += 1 }
            } else if pages[key]?.remove(at: slot) == true {
                count -= 1
                if pages[key]?.count == 0 { pages[key] = nil }
            }
        }
    }

    /// Changes a value in place, if the task has one.
    mutating func update(_ task: TaskID, _ change: (inout Value) -> Void) {
        pages[task.rawValue >> Self.pageBits]?.update(at: Self.slot(of: task), change)
    }

    private static func slot(of task: TaskID) -> Int {
        Int(task.rawValue & (1 << pageBits - 1))
    }
}
