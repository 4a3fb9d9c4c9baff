import CodeSymbols
import Hopscope
import TaskEvents
import TraceStore
import TraceTransport

extension LaneTrace {
    /// Another process's lanes, until it ends or publishes them no more, with names for what is known by its place in the program.
    convenience init(symbolized region: RegionFile) {
        self.init(SymbolizedLanes(region), until: { region.writer == .ended || region.writer == .withdrawn })
    }
}

extension TraceStore {
    /// Gives names to all that is known by its place in a program.
    func nameCode() {
        let places = entries.unknownPlaces()
        if !places.isEmpty { entries.learn(Symbolizer().symbols(of: places)) }
    }
}
