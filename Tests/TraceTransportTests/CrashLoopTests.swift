import CTraceLanes
import Foundation
import Testing

@testable import TraceTransport

/// Programs that crash and start again while nobody lists their traces.
@Suite struct CrashLoopTests {
    /// Runs a program that records into the folder and ends. `running` is called while it records.
    private func record(into folder: RegionFolder, while running: (Int32) throws -> Void = { _ in }) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try CProgram.crashing.path())
        process.arguments = ["wait"]
        process.environment = ["HOPSCOPE": folder.path]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        #expect(try output.fileHandleForReading.read(upToCount: 10) == Data("recording\n".utf8))
        try running(process.processIdentifier)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("A program that only publishes keeps the latest 16 regions of ended programs, and every region of a running one")
    func loop() throws {
        let folder = try RegionFolder()
        let limit = Int(TRACE_KEPT_REGIONS)
        try record(into: folder) { first in
            var ended: [Int32] = []
            for count in 1...(limit + 4) {
                try record(into: folder) { pid in
                    let traces = try folder.directory.traces()
                    #expect(traces.count { $0.writer == .ended } == min(count - 1, limit))
                    #expect(Set(traces.filter { $0.writer == .recording }.map(\.pid)) == [first, pid])
                    ended.append(pid)
                }
            }
            let kept = try folder.directory.traces().filter { $0.writer == .ended }.map(\.pid)
            #expect(kept.prefix(limit).elementsEqual(ended.reversed().prefix(limit)))
        }
    }

    @Test("Files that are no regions of this user, and links to some, stay")
    func others() throws {
        let folder = try RegionFolder()
        for count in 0..<20 {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(count)-text.hoplanes", contents: Data(count: 5000)))
        }
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/9-link.hoplanes", withDestinationPath: "0-text.hoplanes")
        try record(into: folder)
        #expect(folder.names.count == 22)
    }
}
