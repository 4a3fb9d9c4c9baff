import CodeSymbols
import Foundation
import TaskEvents
import TraceFile
import TraceStore

/// The names of what a recording knows by its place in a program, looked for on a thread of its own: who opens it does not wait for them.
final class RecordingNames: Sendable {
    private let found = Guarded<[CodePlace: CodeSymbol]?>(nil)

    init(_ recording: TraceFileReader) {
        let places = recording.entries.unknownPlaces()
        guard !places.isEmpty else {
            found.withLock { $0 = [:] }
            return
        }
        let thread = Thread { [self] in
            let symbols = Symbolizer().symbols(of: places)
            found.withLock { $0 = symbols }
        }
        thread.name = "hopscope symbols"
        thread.start()
    }

    /// Nil as long as they are looked for.
    var symbols: [CodePlace: CodeSymbol]? { found.withLock { $0 } }
}
