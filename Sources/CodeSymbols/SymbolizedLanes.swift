import Foundation
import TaskEvents
import TraceTransport

/// Lanes that add function names to places in code. A separate thread looks up the names of new entries, so readers never wait.
///
/// A table has the names that are known at the time of its copy. If ``namesFound`` grows, a new copy has more names. Any thread may call
/// it.
package final class SymbolizedLanes: LaneSource {
    private struct Finding {
        var symbols: [CodeAddress: CodeSymbol] = [:]
        var wanted: Set<CodeAddress> = []
        var isAtWork = false
    }

    private let lanes: any LaneSource
    private let symbolizer: Symbolizer
    private let finding = Guarded(Finding())

    package init(_ lanes: any LaneSource, symbolizer: Symbolizer = Symbolizer()) {
        self.lanes = lanes
        self.symbolizer = symbolizer
    }

    package var program: String { lanes.program }
    package var pid: Int32 { lanes.pid }
    package var startRealtime: UInt64 { lanes.startRealtime }
    package var now: UInt64 { lanes.now }
    package var unplaced: UInt64 { lanes.unplaced }
    package var entriesRefused: UInt64 { lanes.entriesRefused }

    package func copyHeads(to heads: inout [UInt64]) {
        lanes.copyHeads(to: &heads)
    }

    package func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 {
        lanes.read(lane: lane, from: &next, into: &events, limit: limit)
    }

    package func copyEntries(to table: inout EntryTable) {
        let known = table.count
        lanes.copyEntries(to: &table)
        let new = table.count > known ? table.unknownAddresses(from: known) : []
        let found = finding.withLock { finding in
            finding.wanted.formUnion(new.filter { finding.symbols[$0] == nil })
            if !finding.isAtWork, !finding.wanted.isEmpty { begin(&finding) }
            return finding.symbols
        }
        if found.count > table.symbols.count { table.learn(found) }
    }

    package var holdsJobs: Bool { lanes.holdsJobs }

    package var namesFound: Int { finding.withLock { $0.symbols.count } }

    package var isFindingNames: Bool { finding.withLock(\.isAtWork) }

    /// Looks up all missing names of a table, and waits for them.
    package func finish(_ table: inout EntryTable) {
        table.learn(symbolizer.symbols(of: table.unknownAddresses()))
    }

    private func begin(_ finding: inout Finding) {
        finding.isAtWork = true
        let thread = Thread { [self] in work() }
        thread.name = "hopscope symbols"
        thread.start()
    }

    private func work() {
        while true {
            let wanted = finding.withLock { finding in
                finding.isAtWork = !finding.wanted.isEmpty
                defer { finding.wanted = [] }
                return finding.wanted
            }
            guard !wanted.isEmpty else { return }
            let found = symbolizer.symbols(of: wanted)
            finding.withLock { $0.symbols.merge(found) { _, new in new } }
        }
    }
}
