import TaskEvents
import TraceTransport

/// Lanes that have names only.
package final class NamedLanes: LaneSource {
    private let entries: EntryTable
    package let program = "app"
    package let pid: Int32 = 7
    package let startRealtime: UInt64 = 0
    package let now: UInt64 = 0
    package let unplaced: UInt64 = 0
    package let entriesRefused: UInt64 = 0

    package init(_ entries: EntryTable) { self.entries = entries }

    package func copyHeads(to heads: inout [UInt64]) { heads = [] }
    package func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 { 0 }
    package func copyEntries(to table: inout EntryTable) {
        while table.count < entries.count { table.append(entries[EntryID(rawValue: table.count)]) }
    }
}
