import Foundation
import Testing
import TraceTestKit

/// Programs that tests build are built once for all test processes.
@Suite
struct BuildFolderTests {
    @Test("What a program is built from is recorded in the same order by each process")
    func order() throws {
        let scratch = try ScratchFolder()
        let folders = (10..<30).map { "folder\($0)" }
        for folder in folders { try scratch.write("", to: "\(folder)/include/header.h") }
        let path = try BuildFolder("TraceTransportTests").program("of-many-folders") { path in
            ["sh", "-c", "touch \"$0\"", path] + folders.map { scratch.path("\($0)/source.c") }
        }
        let record = try String(contentsOfFile: "\(path).built-by", encoding: .utf8)
        let headers = record.split(separator: "\n").filter { $0.contains("header.h") }.map { $0.prefix { $0 != " " } }
        #expect(headers.map(String.init) == folders.map { scratch.path("\($0)/include/header.h") })
    }
}
