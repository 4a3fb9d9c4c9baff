import Foundation
import Testing
import TraceTestKit

/// `hopscope remark`: a copy of a recording with remarks.
@Suite(.timeLimit(.minutes(2)))
struct RemarkTests {
    @Test("The copy has the remarks beside all events")
    func copies() async throws {
        let folder = try await RecordedFolder()
        try folder.scratch.write("start: look here\nend: and there\n", to: "remarks")
        let copied = try await Hopscope.run("remark", folder.recording, folder.path("remarks"), "-o", folder.path("copy.hop"))
        #expect(copied.status == 0, "\(copied.errors)")
        let before = try await Hopscope.run("export", folder.recording, "--to", "jsonl").output.split(separator: "\n")
        let after = try await Hopscope.run("export", folder.path("copy.hop"), "--to", "jsonl").output.split(separator: "\n")
        #expect(after.count == before.count + 2)
        #expect(after.first?.contains("look here") == true && after.last?.contains("and there") == true)
    }

    @Test("A recording is not copied onto itself, because its events would be lost", arguments: ["run.hop", "link.hop", "./run.hop"])
    func keepsItsSource(name: String) async throws {
        let folder = try await RecordedFolder()
        try folder.scratch.write("start: look here\n", to: "remarks")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.hop"), withDestinationPath: folder.recording)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.recording))
        let process = try await Hopscope.run("remark", folder.recording, folder.path("remarks"), "-o", folder.path(name))
        #expect(process.status == 64)
        #expect(process.errors.contains("is the recording itself"), "\(process.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.recording)) == before)
    }
}
