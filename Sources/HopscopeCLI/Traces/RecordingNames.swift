import CodeSymbols
import Foundation
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// Names for a recording's code addresses and for the stacks of its profile, resolved on a separate thread so that opening a recording does not wait for them.
final class RecordingNames: Sendable {
    private let result = Guarded<FoundNames?>(nil)

    init(_ recording: TraceFileReader) {
        let addresses = recording.entries.unknownAddresses()
        let places = recording.profile().map { Set($0.stacks.joined()) } ?? []
        guard !addresses.isEmpty || !places.isEmpty else {
            result.withLock { $0 = FoundNames() }
            return
        }
        let thread = Thread { [self] in
            let symbolizer = Symbolizer()
            let found = FoundNames(symbols: symbolizer.symbols(of: addresses), stacks: symbolizer.frames(of: places))
            result.withLock { $0 = found }
        }
        thread.name = "hopscope symbols"
        thread.start()
    }

    /// The resolved names. Nil until the search is done.
    var found: FoundNames? { result.withLock { $0 } }
}
