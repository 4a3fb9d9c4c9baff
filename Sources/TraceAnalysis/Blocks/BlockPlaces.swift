import TaskEvents
import TraceStore
import TraceTransport

/// The blocks of a program by the place that made them and the executor that ran them, for reports.
package struct BlockPlaces {
    package struct Row: Sendable {
        /// The place that made the blocks; the function where the line is not known.
        package var place: String
        /// The name of the operations that they perform. Nil for other blocks.
        package var operation: String?
        /// `.none` for blocks that were never queued.
        package var executor: ExecutorID
        package var count = 0
        /// Nanoseconds that the blocks have run, in sum and at most.
        package var busy: UInt64 = 0
        package var longest: UInt64 = 0
        /// The wait that 99 of 100 of the blocks did not exceed. Nil if none was queued.
        package var waitP99: UInt64?
    }

    private struct Key: Hashable {
        var label: EntryID
        var executor: ExecutorID
    }

    fileprivate struct PlaceKey: Hashable {
        var place: String
        var operation: String?
        var executor: ExecutorID
    }

    /// The places, the busiest first.
    package private(set) var rows: [Row] = []

    /// Reads all blocks that the store keeps.
    package init(_ store: TraceStore) {
        var found: [Key: (row: Row, waits: [UInt64])] = [:]
        for row in store.blockRows {
            let block = store[row]
            let key = Key(label: block.labelID, executor: block.executor)
            found[key, default: (Row(place: "", executor: block.executor), [])].row.add(block)
            if block.queued != nil, let wait = block.queuedTime { found[key]?.waits.append(wait) }
        }
        // Several labels can have one place.
        var byPlace: [PlaceKey: (row: Row, waits: [UInt64])] = [:]
        for (key, value) in found {
            let label = store.entries.label(key.label)
            let operation = label?.givenName
            let place = label.map { $0.file.isEmpty && operation == nil ? $0.name : $0.site } ?? ""
            let key = PlaceKey(place: place, operation: operation, executor: key.executor)
            var entry = byPlace[key] ?? (Row(key), [])
            entry.row.add(value.row)
            entry.waits += value.waits
            byPlace[key] = entry
        }
        rows = byPlace.values.map { entry in
            var row = entry.row
            row.waitP99 = Percentiles(entry.waits).value(at: 99)
            return row
        }
        .sorted { ($1.busy, $0.place, $0.operation ?? "", $0.executor) < ($0.busy, $1.place, $1.operation ?? "", $1.executor) }
    }
}

extension BlockPlaces.Row {
    fileprivate init(_ key: BlockPlaces.PlaceKey) {
        let operation = key.operation.map { PrintableText.text($0) }
        self.init(place: PrintableText.text(key.place), operation: operation, executor: key.executor)
    }

    fileprivate mutating func add(_ block: TaskView) {
        count += 1
        busy = busy.plus(block.busy ?? 0)
        longest = max(longest, block.busy ?? 0)
    }

    fileprivate mutating func add(_ other: Self) {
        count += other.count
        busy = busy.plus(other.busy)
        longest = max(longest, other.longest)
    }
}
