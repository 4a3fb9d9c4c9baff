import CodeSymbols
import Foundation
import TaskEvents
import TraceFile
import TraceStore

/// Symbol names for a recording's code addresses, resolved on a separate thread so that opening a recording does not wait for them.
final class RecordingNames: Sendable {
    private let found = Guarded<[CodeAddress: CodeSymbol]?>(nil)

    init(_ recording: TraceFileReader) {
        let addresses = recording.entries.unknownAddresses()
        guard !addresses.isEmpty else {
            found.withLock { $0 = [:] }
            return
        }
        let thread = Thread { [self] in
            let symbols = Symbolizer().symbols(of: addresses)
            found.withLock { $0 = symbols }
        }
        thread.name = "hopscope symbols"
        thread.start()
    }

    /// The resolved symbols. Nil until the search is done.
    var symbols: [CodeAddress: CodeSymbol]? { found.withLock { $0 } }
}
