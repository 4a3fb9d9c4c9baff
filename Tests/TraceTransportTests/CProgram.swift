import Foundation
import TraceTestKit

/// A C program of `Programs` that contains the lanes.
enum CProgram: String {
    case pages = "Pages"
    case crashing = "Crashing"

    private static let programs = BuildFolder("TraceTransportTests")

    func path() throws -> String {
        try Self.programs.program(rawValue.lowercased()) { path in
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let lanes = tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/CTraceLanes")
            let sources = try FileManager.default.contentsOfDirectory(atPath: lanes.path).filter { $0.hasSuffix(".c") }.sorted()
            return ["clang", "-O1", "-I", lanes.path, "-I", "\(lanes.path)/include", "-o", path]
                + ["\(tests.path)/Programs/\(rawValue).c"] + sources.map { "\(lanes.path)/\($0)" }
        }
    }
}
