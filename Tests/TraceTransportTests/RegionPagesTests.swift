import Foundation
import Testing
import TraceTestKit

/// Regions on machines whose pages are larger than this machine's.
@Suite struct RegionPagesTests {
    @Test("Parts begin with pages, and disk space is reserved by whole pages", arguments: [4096, 16384, 65536])
    func pages(size: Int) throws {
        let scratch = try ScratchFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try CProgram.pages.path())
        process.arguments = ["\(size)", try scratch.privateFolder("traces")]
        try scratch.write("", to: "output")
        process.standardOutput = FileHandle(forWritingAtPath: scratch.path("output"))
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = (scratch.text("output") ?? "").split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count { $0[0] == "part" } == 4)
        #expect(lines.count { $0[0] == "reserved" } > 40)
        for line in lines { #expect(line[1...].allSatisfy { (Int($0) ?? 1) % size == 0 }, "\(line)") }
    }
}
