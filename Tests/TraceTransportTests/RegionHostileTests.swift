import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Region files with wrong contents.
@Suite struct RegionHostileTests {
    /// An ended process's region: two lanes, one of them overrun, a few names.
    private static func leave(in folder: RegionFolder) async throws -> String {
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                for name in ["one", "two", "three"] {
                    Emit.created(TaskID(rawValue: 1), kind: .root, label: Emit.label(name: name, or: "", fileID: "App/main.swift", line: 3))
                }
                emit(1...200)
                try WorkerThread(name: "other") { emit(1...20) }.join()
                try bus.publish()
                quick_exit(0)
            }
        }
        return try #require(folder.directory.traces().first).path
    }

    private func bytes(of path: String) throws -> [UInt8] {
        try Array(#require(FileManager.default.contents(atPath: path)))
    }

    private func write(_ bytes: [UInt8], to path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
    }

    /// Opens the region and reads everything; returns the error's sentence if it is refused.
    private func read(_ path: String) -> String? {
        do {
            let region = try RegionFile(path: path)
            let contents = LaneContents(of: region, limit: 50)
            // The file's size bounds the result: 4 lanes of 64 records.
            #expect(contents.events.count <= 4 * 64)
            #expect(contents.entries.count <= 1 << 16)
            _ = (region.now, region.unplaced, region.entriesRefused, region.kept(), region.writer, region.program, region.damagedLanes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func tenThousandCorruptionsAreReadOrRefusedWithASentence() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let sound = try bytes(of: path)
        #expect(read(path) == nil)
        let file = open(path, O_RDWR)
        defer { close(file) }
        // The fields of the header, of the lanes' headers and of the table's index, by which everything else is found.
        let header = MemoryLayout<trace_header>.size
        let lanes = 4096..<4096 + 4 * 128
        var random = SeededGenerator(seed: 4)
        var refused = 0
        for round in 0..<10_000 {
            var offsets: Set<Int> = []
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                let offset =
                    switch round % 4 {
                    case 0: Int.random(in: 0..<header, using: &random)
                    case 1: Int.random(in: 0..<128, using: &random)
                    case 2: Int.random(in: lanes, using: &random)
                    default: Int.random(in: 0..<sound.count, using: &random)
                    }
                offsets.insert(offset)
                var byte =
                    Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random) : [0, 1, 127, 128, 255].randomElement(using: &random)!
                #expect(pwrite(file, &byte, 1, offset) == 1)
            }
            if let sentence = read(path) {
                refused += 1
                #expect(sentence.hasPrefix(path) && sentence.hasSuffix("."), "\(sentence)")
            }
            for offset in offsets {
                var byte = sound[offset]
                #expect(pwrite(file, &byte, 1, offset) == 1)
            }
        }
        #expect(refused > 1000)
        #expect(try bytes(of: path) == sound)
    }

    /// Sets every field of the header to values that no length, offset or count may have.
    @Test func everyHeaderFieldIsChecked() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let sound = try bytes(of: path)
        let file = open(path, O_RDWR)
        defer { close(file) }
        for offset in stride(from: 0, to: MemoryLayout<trace_header>.size, by: 4) {
            for value in [0, 1, 3, 7, 0x1000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32] {
                for width in [4, 8] where offset + width <= MemoryLayout<trace_header>.size {
                    var number = UInt64(value) << 32 | UInt64(value)
                    #expect(pwrite(file, &number, width, offset) == width)
                    _ = read(path)
                    #expect(sound.withUnsafeBytes { pwrite(file, $0.baseAddress! + offset, width, offset) } == width)
                }
            }
        }
        #expect(read(path) == nil)
    }

    @Test func aTruncatedFileIsRefused() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let sound = try bytes(of: path)
        let cuts = Array(0..<600) + Array(stride(from: 600, to: sound.count, by: 997)) + [sound.count - 1]
        for length in cuts {
            write(Array(sound[..<length]), to: path)
            let sentence = try #require(read(path), "\(length) bytes")
            #expect(sentence == "\(path) is not a Hopscope trace." || sentence.contains(" is cut off: it has \(length) bytes of "))
        }
    }

    @Test func aFileTruncatedDuringReadingEndsEarly() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let region = try RegionFile(path: path)
        let whole = LaneContents(of: region)
        #expect(truncate(path, 8192) == 0)
        let rest = LaneContents(of: region)
        #expect(rest.events.isEmpty)
        #expect(rest.lost == whole.lost + UInt64(whole.events.count))
        #expect(truncate(path, 0) == 0)
        #expect(LaneContents(of: region).events.isEmpty)
    }

    @Test func aSparseFileHasNoMoreNamesThanItsTableHasRoomFor() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let file = open(path, O_RDWR)
        defer { close(file) }
        let size = try bytes(of: path).count
        func set<Value: FixedWidthInteger>(_ field: PartialKeyPath<trace_header>, to value: Value) throws {
            var value = value
            let offset = try #require(MemoryLayout<trace_header>.offset(of: field))
            #expect(pwrite(file, &value, MemoryLayout<Value>.size, off_t(offset)) == MemoryLayout<Value>.size)
        }
        // The index of the names comes after all else, and is a hole.
        let count: UInt32 = 1 << 20
        let start = UInt64(size + 7) / 8 * 8
        #expect(ftruncate(file, off_t(start) + off_t(count) * 4) == 0)
        try set(\.region_size, to: start + UInt64(count) * 4)
        try set(\.entry_index_offset, to: start)
        try set(\.entry_limit, to: count)
        try set(\.entry_count, to: count)
        #expect(try LaneContents(of: RegionFile(path: path)).entries.count < 2000)
    }

    @Test func aFileThatIsNotATraceIsRefusedWithTheReason() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let sound = try bytes(of: path)
        func changed(_ field: PartialKeyPath<trace_header>, to value: UInt32) -> String? {
            var bytes = sound
            let offset = MemoryLayout<trace_header>.offset(of: field)!
            withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
            write(bytes, to: path)
            return read(path)
        }
        #expect(
            changed(\.version, to: 7)
                == "\(path) was written by a newer Hopscope: it has format 7, and this one reads up to 2. Update hopscope to read it.")
        #expect(changed(\.version, to: 0) == "\(path) is damaged: its header says that it has format 0.")
        #expect(changed(\.lane_limit, to: 9000) == "\(path) is damaged: its header says that it has 9000 lanes.")
        #expect(changed(\.lane_slots, to: 100) == "\(path) is damaged: its header says that a lane holds 100 records.")
        #expect(changed(\.lane_slots, to: 1 << 20) == "\(path) is damaged: by its header its lanes lie outside of it.")
        #expect(changed(\.entries_size, to: .max) == "\(path) is damaged: by its header its names lie outside of it.")
        #expect(changed(\.clock, to: 9) == "\(path) is damaged: its header names no clock.")
        write(Array("#!/bin/sh\n".utf8), to: path)
        #expect(read(path) == "\(path) is not a Hopscope trace.")
        write([], to: path)
        #expect(read(path) == "\(path) is not a Hopscope trace.")
        #expect(read(folder.path) == "\(folder.path) is not a file, and so no Hopscope trace.")
        #expect(read("\(folder.path)/nothing") == "There is no file \(folder.path)/nothing.")
    }

    @Test func aReportOfLossesThatTheFileHasIsLost() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let region = try RegionFile(path: path)
        let before = LaneContents(of: region)
        // The sixth record of the lane that is not overrun.
        var record = trace_record(
            time: region.layout.clock.startTicks, task: 0, other: .max, label: 0, executor: 0, kind: EventKind.lost.rawValue, detail: 0)
        let file = open(path, O_RDWR)
        defer { close(file) }
        let stride = MemoryLayout<trace_record>.stride
        #expect(pwrite(file, &record, stride, off_t(region.layout.ring(ofLane: 1)) + off_t(5 * stride)) == stride)
        let after = LaneContents(of: region)
        #expect(!after.events.contains { $0.kind == .lost })
        #expect(after.events.count == before.events.count - 1)
        #expect(after.lost == before.lost + 1)
    }

    @Test func aDamagedLaneIsLeftOutAndOthersAreRead() async throws {
        let folder = try RegionFolder()
        let path = try await Self.leave(in: folder)
        let before = LaneContents(of: try RegionFile(path: path))
        #expect(before.numbers.count == 62 + 20 - (before.numbers.count == 82 ? 0 : 1) || before.lost > 0)
        let file = open(path, O_RDWR)
        defer { close(file) }
        // The second lane's length.
        var slots: UInt32 = 12
        #expect(pwrite(file, &slots, 4, 4096 + 128 + 76) == 4)
        let region = try RegionFile(path: path)
        #expect(region.damagedLanes == 1)
        #expect(LaneContents(of: region).numbers == Array(138...200))
    }
}

/// Files and directories that another user could change.
@Suite struct RegionTrustTests {
    private func region(in folder: RegionFolder) async throws -> String {
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                try bus.publish()
                quick_exit(0)
            }
        }
        return try #require(folder.directory.traces().first).path
    }

    private func sentence(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aSymbolicLinkIsNotFollowed() async throws {
        let folder = try RegionFolder()
        let path = try await region(in: folder)
        let link = "\(folder.path)/1-planted.hoplanes"
        #expect(symlink(path, link) == 0)
        #expect(
            sentence { _ = try RegionFile(path: link) }
                == "\(link) is a symbolic link, which is not followed; name the file that it leads to.")
        #expect(try folder.directory.traces().map(\.path) == [path])
    }

    @Test func aPipeIsRefusedAtOnce() throws {
        let folder = try RegionFolder()
        let pipe = "\(folder.path)/1-pipe.hoplanes"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(sentence { _ = try RegionFile(path: pipe) } == "\(pipe) is not a file, and so no Hopscope trace.")
        #expect(try folder.directory.traces().isEmpty)
    }

    @Test func aFileThatOthersCanWriteIsRefused() async throws {
        let folder = try RegionFolder()
        let path = try await region(in: folder)
        #expect(chmod(path, 0o620) == 0)
        #expect(
            sentence { _ = try RegionFile(path: path) }
                == "\(path) can be written by other users, so its content cannot be trusted; 'chmod go-w' ends that.")
        #expect(chmod(path, 0o644) == 0)
        #expect(sentence { _ = try RegionFile(path: path) } == nil)
    }

    @Test func anotherUsersFileIsRefused() async throws {
        guard geteuid() == 0 else { return }
        let folder = try RegionFolder()
        let path = try await region(in: folder)
        #expect(chmod(folder.path, 0o755) == 0)
        await passing(path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let nobody: uid_t = 65_534
                #expect(chmod(path, 0o644) == 0)
                #expect(setuid(nobody) == 0)
                let refused = "\(path) belongs to the user with id 0; only that user and root may read it."
                #expect(throws: TraceProblem(.refused, refused)) { try RegionFile(path: path) }
            }
        }
        await passing(path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                #expect(chmod(path, 0o600) == 0)
                #expect(setuid(65_534) == 0)
                #expect(throws: TraceProblem(.refused, "\(path) belongs to another user; only that user and root may read it.")) {
                    try RegionFile(path: path)
                }
            }
        }
    }

    @Test func theDirectoryMustBePrivate() throws {
        let folder = try RegionFolder()
        let path = folder.path
        #expect(chmod(path, 0o750) == 0)
        #expect(
            sentence { _ = try TraceDirectory(path: path) }
                == "The directory \(path) is open to other users (its mode is 0750); chmod 700 makes it yours alone.")
        #expect(chmod(path, 0o700) == 0)
        let link = "\(path)/link"
        #expect(symlink(path, link) == 0)
        #expect(
            sentence { _ = try TraceDirectory(path: link, makingIt: true) }
                == "\(link) is a symbolic link, which another user may have made; remove it, or let HOPSCOPE name another directory.")
        #expect(
            sentence { _ = try TraceDirectory(path: "\(path)/none") }
                == "The directory \(path)/none could not be opened: No such file or directory.")
        #expect(try TraceDirectory(path: "\(path)/new", makingIt: true).path == "\(path)/new")
        var status = stat()
        #expect(lstat("\(path)/new", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        guard geteuid() == 0 else { return }
        #expect(chown("\(path)/new", 65_534, 65_534) == 0)
        #expect(
            sentence { _ = try TraceDirectory(path: "\(path)/new", makingIt: true) }
                == "The directory \(path)/new belongs to the user with id 65534 and not to you; remove it, or let HOPSCOPE name another.")
    }
}
