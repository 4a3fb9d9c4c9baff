import Foundation
import Hopscope
import InspectorUI
import TaskEvents
import TraceStore

extension OpenedTrace {
    /// Shows the inspector on it until the user leaves; live while its process runs, or its file grows. The process ends if a signal ended the
    /// inspector.
    func show(on inspector: TerminalInspector) {
        let signal =
            switch self {
            case .lanes(let region):
                inspector.show(LaneTrace(symbolized: region), of: region.program)
            case .recording(let reader):
                inspector.show(
                    RecordingSource(reader, isGrowing: { kill(reader.header.pid, 0) == 0 }), of: reader.header.program,
                    in: TraceTimeline(reader))
            }
        if let signal { die(by: signal) }
    }
}
