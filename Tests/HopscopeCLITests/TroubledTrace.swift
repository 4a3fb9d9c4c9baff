import TaskEvents
import TraceFile
import TraceTestKit
import TraceTransport

/// A recording with an unobserved fault.
enum TroubledTrace {
    static func write(to folder: ScratchFolder) throws -> (folder: ScratchFolder, file: String) {
        var trace = TraceBuilder()
        let save = trace.root("save")
        trace.start(save)
        trace.fault(save, type: "DiskFull", message: "no room")
        let path = folder.path("troubled.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "troubled", pid: 1, startRealtime: 1))
        writer.write(trace.entries)
        try writer.write(TraceBatch(events: trace.events, lanes: trace.lanes))
        try writer.finish(sawExit: true)
        return (folder, path)
    }
}
