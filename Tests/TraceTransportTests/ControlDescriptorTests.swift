import Foundation
import TaskEvents
import Testing

@testable import TraceTransport

/// A program that has no file descriptor left for an inspector.
@Suite struct ControlDescriptorTests {
    /// The control thread's processor time in ticks, and the number of its waits, read through files that are opened before descriptors run
    /// out.
    private struct ThreadFiles {
        private let stat: Int32
        private let status: Int32

        init?() {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            let control = tasks.first { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix("hopscope contro") == true
            }
            guard let control else { return nil }
            stat = open("/proc/self/task/\(control)/stat", O_RDONLY)
            status = open("/proc/self/task/\(control)/status", O_RDONLY)
        }

        private func text(_ file: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = pread(file, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        var ticks: Int {
            let fields = text(stat).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
        }

        var waits: Int {
            let line = text(status).split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            return line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
        }
    }

    @Test("Without a descriptor for a client the server waits, and serves the client once a descriptor is free")
    func outOfDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let directory = try TraceDirectory(path: folder.path)
            let server = try ControlServer(in: directory, region: "1-p.hoplanes") { _ in .done("here") }
            var files = ThreadFiles()
            while files == nil { files = ThreadFiles() }
            let thread = try #require(files)
            let client = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder.path)/1-p.control".utf8)) }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
            #expect(connected == 0)
            let (ticks, waits) = (thread.ticks, thread.waits)
            // A thread that never waits uses up the ticks first.
            while thread.waits < waits + 3, thread.ticks < ticks + 50 { sched_yield() }
            #expect(thread.waits >= waits + 3 && thread.ticks < ticks + 50)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let ping = Control.ping.bytes
            #expect(send(client, ping, ping.count, 0) == ping.count)
            var answer = [UInt8](repeating: 0, count: 100)
            let length = recv(client, &answer, answer.count, 0)
            #expect(ControlAnswer(bytes: answer.prefix(max(0, length))) == .done("The program runs."))
            server.stop()
        }
    }
}
