import Foundation
import Testing
import TraceTestKit

/// Regions on machines whose pages are larger than this machine's.
@Suite struct RegionPagesTests {
    private static let programs = BuildFolder("TraceTransportTests")

    /// The program records as if the kernel had pages of another size.
    private static func program() throws -> String {
        try programs.program("pages") { path in
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let lanes = tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/CTraceLanes")
            let sources = try FileManager.default.contentsOfDirectory(atPath: lanes.path).filter { $0.hasSuffix(".c") }.sorted()
            return ["clang", "-O1", "-I", lanes.path, "-I", "\(lanes.path)/include", "-o", path]
                + ["\(tests.path)/Programs/Pages.c"] + sources.map { "\(lanes.path)/\($0)" }
        }
    }

    @Test("Parts begin with pages, and disk space is reserved by whole pages", arguments: [4096, 16384, 65536])
    func pages(size: Int) throws {
        let scratch = try ScratchFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Self.program())
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
