import Foundation
import TaskEvents
import Testing
import TraceFile

@testable import TraceStore

/// Recordings of earlier versions stay readable: `Assets/versions` has recordings of each version, which are never written again.
@Suite struct SampleRecordingTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Assets/versions")

    private func read(_ name: String) throws -> TraceHistory {
        let history = TraceHistory(try TraceFileReader(path: Self.folder.appendingPathComponent(name).path))
        history.loadAll()
        return history
    }

    @Test func everySampleIsComplete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".hop") }
        for version in 1...TraceFileHeader.version { #expect(names.contains { $0.hasSuffix(".v\(version).hop") }) }
        for name in names {
            let history = try read(name)
            let reader = try #require(history.recording as? TraceFileReader)
            #expect(reader.isComplete, "\(name)")
            #expect(reader.damage.isEmpty, "\(name)")
            #expect(history.store.unreadableCount == 0, "\(name)")
            #expect(name.hasPrefix(reader.header.program))
            #expect(history.store.rows.allSatisfy { history.store[$0].state.hasEnded }, "\(name)")
        }
    }

    @Test func recordingsOfVersionOneKeepTheirState() throws {
        let history = try read("kinesis-save-fails.v1.hop")
        let store = history.store
        let header = try #require(history.recording as? TraceFileReader).header
        #expect(header.program == "kinesis-save-fails")
        #expect(header.startRealtime > 1_700_000_000_000_000_000)
        #expect(history.eventCount == 19)
        #expect(store.lostCount == 0)
        let tasks = store.rows.map { store[$0] }
        #expect(tasks.map(\.label.name) == ["saveRecord", "submitAllRecords", "report"])
        #expect(tasks.map(\.state) == [.faulted, .faulted, .succeeded])
        #expect(tasks.map(\.isSkipped) == [false, true, false])
        #expect(store.entries.error(tasks[0].error).map { "\($0.type).\($0.message)" } == "KinesisError.throttled")
        #expect(tasks[2].hops.map { "\(store.description(of: $0.from).name) to \(store.description(of: $0.to).name)" } == ["net to main"])
        #expect(store.executors.map(\.name) == ["main", "net", "default"])
    }
}
