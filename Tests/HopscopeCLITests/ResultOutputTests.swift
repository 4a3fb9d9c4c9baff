import Foundation
import Testing
import TraceTestKit

@testable import HopscopeCLI

@Suite struct ResultOutputTests {
    @Test("Old incomplete files of killed commands are removed, and nothing else")
    func removesLeftovers() throws {
        let folder = try ScratchFolder()
        let (old, new) = (".hopscope-\(UUID().uuidString)", ".hopscope-\(UUID().uuidString)")
        let others = [".hopscope-notes", ".hopscope.toml", "report.json"]
        for name in [old, new] + others { try folder.write("text", to: name) }
        for name in [old] + others {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: folder.path(name))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(".hopscope-\(UUID().uuidString)"), withDestinationPath: folder.path("report.json"))
        ResultOutput.removeLeftovers(in: folder.path, before: 2000)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 5 && Set(left).isSuperset(of: [new] + others), "\(left)")
    }
}
