import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Another program of the same user damages the file of a running program's region. Each program runs in a process of its own.
@Suite struct RegionTruncationTests {
    /// Emits from two threads, with new names, and reads the lanes as the program's own inspector does.
    private static func useLanes(of bus: EventBus) throws {
        emit(1...300)
        for number in 0..<20 { _ = Emit.label(name: "name \(number)", or: "", fileID: "App/main.swift", line: 3) }
        try WorkerThread(name: "other") { emit(1...300) }.join()
        let contents = LaneContents(of: bus)
        #expect(contents.events.count <= 4 * 64)
        _ = (bus.now, bus.unplaced, bus.entriesRefused, bus.program)
    }

    @Test(arguments: [0, 4096, 8192, 20_000])
    func aTruncatedRegionEndsTheRecordingAndNotTheProgram(length: Int) async throws {
        let folder = try RegionFolder()
        await passing(folder.path, length) {
            await #expect(processExitsWith: .success) {
                let (path, length) = try passed(String.self, Int.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                try Self.useLanes(of: bus)
                let region = try RegionFile(path: "\(path)/\(bus.fileName)")
                #expect(EventBus.isRecording)
                #expect(truncate("\(path)/\(bus.fileName)", off_t(length)) == 0)
                try Self.useLanes(of: bus)
                #expect(!EventBus.isRecording)
                #expect(region.writer == .withdrawn)
                #expect(LaneContents(of: region).events.isEmpty)
                // A later recording of the process is not concerned.
                let next = try EventBus(.small(), in: TraceDirectory(path: path))
                next.start()
                try Self.useLanes(of: next)
                #expect(EventBus.isRecording && LaneContents(of: next).numbers.count > 60)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func garbageInTheRegionLeavesTheProgramAlone(seed: UInt64) async throws {
        let folder = try RegionFolder()
        await passing(folder.path, seed) {
            await #expect(processExitsWith: .success) {
                let (path, seed) = try passed(String.self, UInt64.self)
                var random = SeededGenerator(seed: seed)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                let file = open("\(path)/\(bus.fileName)", O_RDWR)
                for round in 0..<100 {
                    try Self.useLanes(of: bus)
                    // The header, the lanes' headers, the index, the names and the rings; in some rounds all of it.
                    let size = 4096 + 4096 + 4096 + (1 << 14) + 4 * 64 * 32
                    let offset = round % 10 == 0 ? 0 : Int.random(in: 0..<size, using: &random)
                    let count = round % 10 == 0 ? size : Int.random(in: 1...min(512, size - offset), using: &random)
                    let fill = [UInt8?.none, 0, 0xFF, 0x7F].randomElement(using: &random)!
                    let bytes = (0..<count).map { _ in fill ?? UInt8.random(in: 0...255, using: &random) }
                    #expect(pwrite(file, bytes, count, off_t(offset)) == count)
                }
                try Self.useLanes(of: bus)
                #expect(EventBus.isRecording)
            }
        }
    }

    @Test func aHandlerThatTheProgramSetBeforeGetsItsOwnSignals() async throws {
        let folder = try RegionFolder()
        await passing(folder.path) {
            await #expect(processExitsWith: .exitCode(7)) {
                let path = try passed(String.self)
                signal(SIGBUS) { _ in _exit(7) }
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                #expect(truncate("\(path)/\(bus.fileName)", 0) == 0)
                try Self.useLanes(of: bus)
                raise(SIGBUS)
            }
        }
        await passing(folder.path) {
            await #expect(processExitsWith: .exitCode(8)) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                signal(SIGBUS) { _ in _exit(8) }
                try Self.touchMissingPage(in: path)
            }
        }
    }

    /// A sanitizer takes the signal for its own report, and ends the process by an exit status.
    @Test(.enabled(if: !Leftovers.isSanitized)) func aProgramWithoutAHandlerStillEndsByItsOwnFaults() async throws {
        let folder = try RegionFolder()
        await passing(folder.path) {
            await #expect(processExitsWith: .signal(SIGBUS)) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                raise(SIGBUS)
            }
        }
        await passing(folder.path) {
            await #expect(processExitsWith: .signal(SIGBUS)) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                try Self.touchMissingPage(in: path)
            }
        }
    }

    /// Faults as a program does whose own mapped file has been truncated.
    private static func touchMissingPage(in folder: String) throws {
        let file = open("\(folder)/own", O_RDWR | O_CREAT, 0o600)
        #expect(ftruncate(file, 4096) == 0)
        let page = try #require(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        #expect(ftruncate(file, 0) == 0)
        page.storeBytes(of: 1, as: UInt8.self)
    }
}
