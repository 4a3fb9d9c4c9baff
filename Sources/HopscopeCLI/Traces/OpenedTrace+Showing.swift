import Foundation
import Hopscope
import InspectorUI
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

extension OpenedTrace {
    /// Shows the inspector on the trace until the user quits it. The view is live while the process runs or the file grows. If a signal
    /// ended the inspector, this process ends by the same signal.
    func show(on inspector: TerminalInspector) throws {
        let signal: Int32?
        switch self {
        case .lanes(let region):
            let trace: LaneTrace
            do throws(TraceProblem) {
                trace = try LaneTrace(symbolized: region)
            } catch {
                inspector.close()
                throw error
            }
            signal = inspector.show(trace, of: region.program, controls: Self.controls(of: region))
        case .recording(let reader):
            let names = RecordingNames(reader)
            let source = RecordingSource(reader, isGrowing: { kill(reader.header.pid, 0) == 0 }, names: { names.found })
            signal = inspector.show(
                source, of: reader.header.program, controls: NoControls("A recording can only be looked at."), in: TraceHistory(reader),
                recordedAt: reader.header.startRealtime)
        }
        if let signal { die(by: signal) }
        if inspector.failure != nil { exit(ExitStatus.ownFault.rawValue) }
    }

    /// The controls of the region's process. Without a connection to the process, the user can only look at the trace.
    private static func controls(of region: RegionFile) -> any ControlLine {
        do throws(TraceProblem) {
            return try AttachedControls(region)
        } catch {
            return NoControls(error.description)
        }
    }
}
