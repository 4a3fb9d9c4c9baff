import Foundation
import Hopscope
import InspectorUI
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

extension OpenedTrace {
    /// Shows the inspector on it until the user leaves; live while its process runs, or its file grows. The process ends if a signal ended the
    /// inspector.
    func show(on inspector: TerminalInspector) {
        let signal: Int32?
        switch self {
        case .lanes(let region):
            signal = inspector.show(LaneTrace(symbolized: region), of: region.program, controls: Self.controls(of: region))
        case .recording(let reader):
            let names = RecordingNames(reader)
            let source = RecordingSource(reader, isGrowing: { kill(reader.header.pid, 0) == 0 }, names: { names.symbols })
            signal = inspector.show(
                source, of: reader.header.program, controls: NoControls("A recording can only be looked at."), in: TraceHistory(reader))
        }
        if let signal { die(by: signal) }
    }

    /// The way back to its process; where there is none, the trace can only be looked at.
    private static func controls(of region: RegionFile) -> any ControlLine {
        do throws(TraceProblem) {
            return try AttachedControls(region)
        } catch {
            return NoControls(error.description)
        }
    }
}
