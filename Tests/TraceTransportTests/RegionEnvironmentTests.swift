import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Programs that start with `HOPSCOPE` in their environment.
@Suite struct RegionEnvironmentTests {
    @Test func theVariableRequestsARegionThatTheFirstEventCreates() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            trace_environment_ask(folder.path)
            #expect(EventBus.isRecording)
            #expect(folder.names.isEmpty)
            let net = Emit.register(executor: "net", kind: .pool)
            #expect(folder.names.isEmpty)
            let label = Emit.label(name: nil, or: "first", fileID: "App/main.swift", line: 1)
            Emit.created(TaskID(rawValue: 1), kind: .root, label: label, executor: net)
            let trace = try #require(folder.directory.traces().first)
            #expect(trace.pid == getpid())
            let contents = LaneContents(of: try RegionFile(path: trace.path))
            #expect(contents.entries.label(contents.events[1].label)?.name == "first")
            #expect(contents.entries.executor(net)?.name == "net")
            // Publishing from the program's source is the same publication, which the environment keeps open.
            #expect(try ProcessTrace.shared.publish() == trace.path)
            let connection = try ControlConnection(to: RegionFile(path: trace.path))
            #expect(try connection.send(.ping).isDone)
            ProcessTrace.shared.withdraw()
            #expect(try folder.directory.traces().map(\.path) == [trace.path])
            #expect(try connection.send(.ping).isDone)
        }
    }

    /// 2,047 bytes fit: 227 pairs of eight bytes and a comma each.
    @Test(arguments: [2, 227, 300])
    func theRegionHasThePairsOfTheProcessesResourceThatFit(count: Int) async throws {
        await passing(count) {
            await #expect(processExitsWith: .success) {
                let count = try passed(Int.self)
                let pairs = Array(repeating: "key=0123", count: count).joined(separator: ",")
                let kept = Array(repeating: "key=0123", count: min(count, 227)).joined(separator: ",")
                setenv("OTEL_SERVICE_NAME", "shop", 1)
                setenv("OTEL_RESOURCE_ATTRIBUTES", pairs, 1)
                let folder = try RegionFolder()
                let bus = try EventBus(in: folder.directory)
                try bus.publish()
                let region = try RegionFile(path: "\(folder.path)/\(bus.fileName)")
                #expect(region.service == "shop")
                #expect(region.resource == kept)
            }
        }
    }

    @Test(arguments: ["", "0", "no", "off", "False"])
    func anEnvironmentThatDeclinesGetsNoRegion(value: String) async throws {
        await passing(value) {
            await #expect(processExitsWith: .success) {
                let value = try passed(String.self)
                trace_environment_ask(value)
                #expect(!EventBus.isRecording)
            }
        }
    }

    @Test func anUnusableVariableIsReportedAndTheProgramRuns() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            trace_environment_ask("tmp/here")
            Emit.resumed(TaskID(rawValue: 1))
            #expect(!EventBus.isRecording)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("hopscope: HOPSCOPE takes 1, flight or the full path of a directory, and not \"tmp/here\".\n"))
    }
}
