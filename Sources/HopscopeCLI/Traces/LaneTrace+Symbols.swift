import CodeSymbols
import Hopscope
import TaskEvents
import TraceStore
import TraceTransport

extension LaneTrace {
    /// Reads another process's lanes until the process ends or stops publishing. Adds symbol names for code addresses.
    convenience init(symbolized region: RegionFile, pace: DrainPace = .prompt) throws(TraceProblem) {
        try self.init(
            SymbolizedLanes(region), pace: pace, until: { region.writer == .ended || region.writer == .withdrawn },
            exit: { region.writer == .ended })
        outside = ProcessLook(ofProcess: region.pid)
    }
}

extension TraceStore {
    /// Adds symbol names for all code addresses that have none.
    func nameCode() {
        let addresses = entries.unknownAddresses()
        if !addresses.isEmpty { entries.learn(Symbolizer().symbols(of: addresses)) }
    }
}
