import Foundation
import Testing
import TraceTestKit

/// `demo hash` over a tree of known files.
@Suite(.timeLimit(.minutes(2)))
struct HashTests {
    @Test("Every regular file is one task, named by its path; an unreadable file is a fault with the system's error message")
    func countsEveryFile() async throws {
        let tree = try ScratchFolder()
        var files = Set((1...40).map { "plain/\($0).txt" })
        files.formUnion(["empty", "a name with blanks", "wide/文件-ñ.txt", "deep/er/est/file", "locked"])
        for file in files {
            try tree.write(file == "empty" ? "" : "what \(file) holds\n", to: file)
        }
        try makeEverythingButFiles(in: tree)
        #expect(chmod(tree.path("locked"), 0) == 0)

        let found = try await FinishedProcess.run(["find", tree.path, "-type", "f"])
        #expect(found.output.split(separator: "\n").count == files.count)

        let process = try await FinishedProcess.run(
            readingAsPermitted + [Hopscope.path, "demo", "hash", "--path", tree.path, "--speed", "100", "--no-ui", "--report", "json"])
        #expect(process.status == 0, "\(process.errors)")
        let report = try PrintedReport(of: process)
        #expect(report.lost == 0)

        let hashed = report.tasks.filter { $0.executor == "disk" && !$0.name.hasPrefix("list ") }
        #expect(hashed.count == files.count)
        #expect(Set(hashed.map(\.name)) == files)
        #expect(hashed.filter { $0.state == "succeeded" }.count == files.count - 1)

        let faulted = hashed.filter { $0.state == "faulted" }
        #expect(faulted.map(\.name) == ["locked"])
        #expect(faulted.first?.role == "thrown")
        #expect(faulted.first?.error?.message.contains("Permission denied") == true)
        #expect(report.faults.map(\.verdict) == ["recovered"])

        #expect(report.tasks(named: "count").count == files.count)
        #expect(report.tasks(named: "count").allSatisfy { $0.executor == "main" && $0.state == "succeeded" })
    }

    /// Entries that `find -type f` does not list: dangling and circular links, and a pipe without a writer,
    /// which a reader would wait for.
    private func makeEverythingButFiles(in tree: ScratchFolder) throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: tree.path("dangling"), withDestinationPath: "nowhere")
        try manager.createSymbolicLink(atPath: tree.path("deep/circle"), withDestinationPath: "..")
        try manager.createDirectory(atPath: tree.path("nothing in it"), withIntermediateDirectories: false)
        #expect(mkfifo(tree.path("pipe"), 0o600) == 0)
    }

    /// Root reads files of mode 0 by two capabilities. Without these the mode applies to root too.
    private var readingAsPermitted: [String] {
        geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
    }
}
