import CodeSymbols
import Foundation
import TaskEvents
import TraceFile
import TraceTransport

/// The names that a recording lacks of its code addresses and of the stacks of its profile, found on a separate thread so that opening a
/// recording does not wait for them.
final class RecordingNames: Sendable {
    private let result = Guarded<FoundNames?>(nil)

    init(_ recording: TraceFileReader) {
        let addresses = recording.entries.unknownAddresses()
        let places = recording.unnamedPlaces
        guard !addresses.isEmpty || !places.isEmpty else {
            result.withLock { $0 = FoundNames() }
            return
        }
        let thread = Thread { [self] in
            let found = Symbolizer().names(of: addresses, stacks: places)
            result.withLock { $0 = found }
        }
        thread.name = "hopscope symbols"
        thread.start()
    }

    /// The resolved names. Nil until the search is done.
    var found: FoundNames? { result.withLock { $0 } }
}

extension RecordedTrace {
    /// The places of the profile's stacks whose functions are not known.
    var unnamedPlaces: Set<CodeAddress> {
        profile().map { Set($0.stacks.joined()).subtracting(stackNames.keys) } ?? []
    }
}
