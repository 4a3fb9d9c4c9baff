import Foundation
import Testing
import TraceReport
import TraceTestKit

@testable import RemoteTasks

/// The descriptors for which tasks wait, in a program whose tasks say in their names for which they do.
@Suite(.timeLimit(.minutes(5)))
struct SocketTests {
    /// Looks until all tasks wait, and no thread runs during a look.
    private func look(at program: RunningProgram) throws -> SnapshotReport {
        while true {
            let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid), findsHolders: true)
            let isReady = snapshot.tasks.allSatisfy { task in
                task.state == .suspended && snapshot.holders[task.address].map { !$0.reason.contains("while") } ?? false
                    || task.state == .running && snapshot.thread(running: task.address)?.call != nil
            }
            if isReady, snapshot.threads.allSatisfy({ $0.state == "S" }) {
                return SnapshotReport(snapshot, program: "sockets", route: .snapshot)
            }
        }
    }

    private func words(_ descriptor: WaitedDescriptor) -> String {
        let facts = [
            descriptor.kind.rawValue, number(descriptor), descriptor.peer ?? "-", descriptor.state?.rawValue ?? "-",
            descriptor.isLikely ? "likely" : "sure",
        ]
        return "io " + facts.joined(separator: " ")
    }

    @Test("Each task is told with the descriptor that it waits for, its peer and its state; several descriptors are told as none")
    func tellsDescriptors() throws {
        let program = try RunningProgram(try UnpreparedProgram.sockets.path(.debug))
        let report = try look(at: program)
        let tasks = report.snapshot.tasks.filter { $0.name.hasPrefix("io ") || $0.name == "none" }
        #expect(tasks.count == 17)
        for task in tasks {
            let wait = SnapshotWait(of: task, in: report.snapshot, report.symbols)
            let holder = report.snapshot.holders[task.address]?.words ?? "no holder"
            #expect(wait?.descriptor.map(words) ?? "none" == task.name, "\(holder)")
        }
        var (text, json) = ("", "")
        report.writeText(to: &text, isASCII: true, showsStacks: false)
        report.writeJSON(to: &json)
        let name = try #require(tasks.first { $0.name.hasSuffix("closed-by-peer likely") }?.name)
        let facts = name.split(separator: " ")
        #expect(text.contains("waits probably for \(facts[2 + 1]) (tcp descriptor \(facts[2]), closed by the peer)"))
        #expect(json.contains(#""io":{"fd":\#(facts[2]),"kind":"tcp","likely":true,"peer":"\#(facts[3])","state":"closed-by-peer"}"#))
        let site = try UnpreparedProgram.sockets.site(of: "// receives")
        #expect(text.contains("blocks in __recv at \(site) in receive(_:_:_:)  waits for data from 127.0.0.1:"))
        let hang = HangReport(report, deadline: "1 s").findings().map(\.message)
        #expect(hang.contains { $0.contains(" at \(site) in receive(_:_:_:), which waits for data from 127.0.0.1:") }, "\(hang)")
    }

    @Test(
        "A task that waits for a SwiftNIO channel is told with the channel's connection, and not if all channels lead to what it waits for",
        arguments: [.debug, .release] as [UnpreparedProgram.Build])
    func channels(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.channels.path(build))
        let report = try look(at: program)
        let tasks = report.snapshot.tasks.filter { $0.name.hasPrefix("io ") || $0.name == "none" }
        #expect(tasks.count == 20)
        for task in tasks {
            let descriptor = report.snapshot.descriptors[task.address]
            let found = descriptor.map { "io \(number($0)) \($0.peer ?? "-")" } ?? "none"
            #expect(found == task.name && descriptor?.isLikely != false)
        }
    }

    @Test(
        "A task that waits until a connection is open, or for one of a pool's, is told with the peer, and not if it may wait for something else",
        arguments: [.debug, .release] as [UnpreparedProgram.Build])
    func pools(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.pools.path(build))
        let report = try look(at: program)
        let tasks = report.snapshot.tasks.filter { $0.name.hasPrefix("io ") || $0.name == "none" }
        #expect(tasks.count == 10)
        for task in tasks {
            let descriptor = report.snapshot.descriptors[task.address]
            let found = descriptor.map { "io \(number($0)) \($0.peer ?? "-") \($0.state?.rawValue ?? "-")" } ?? "none"
            #expect(found == task.name && descriptor?.isLikely != false)
        }
        let name = try #require(tasks.first { $0.name.hasPrefix("io pool ") }?.name)
        let peer = name.split(separator: " ")[2]
        var (text, json) = ("", "")
        report.writeText(to: &text, isASCII: true, showsStacks: false)
        report.writeJSON(to: &json)
        #expect(text.contains("waits probably for \(peer) (one of 2 connections)"))
        #expect(json.contains(#""io":{"fd":null,"kind":"pool","likely":true,"peer":"\#(peer)","state":null}"#))
    }

    private func number(_ descriptor: WaitedDescriptor) -> String { descriptor.number.map(String.init) ?? "pool" }

    @Test(
        "A socket is stuck if it is certainly waited for, and has not answered for five seconds",
        arguments: [
            (.established, .receives, 5_000, 0, false, true), (.established, .receives, 4_999, 0, false, false),
            (.established, .receives, nil, 0, false, false), (.established, .receives, 60_000, 0, true, false),
            (.sendBufferFull, .sends, 5_000, 0, false, true), (.sendBufferFull, .sends, 4_999, 0, false, false),
            (.connecting, .connects, nil, 2, false, true), (.connecting, .connects, nil, 1, false, false),
            (.listening, .accepts, 60_000, 0, false, false), (nil, .receives, nil, 0, false, false),
        ] as [(WaitedDescriptor.State?, WaitedDescriptor.Purpose, UInt64?, Int, Bool, Bool)])
    func stuck(
        state: WaitedDescriptor.State?, purpose: WaitedDescriptor.Purpose, milliseconds: UInt64?, retries: Int, isLikely: Bool,
        isStuck: Bool
    ) {
        let descriptor = WaitedDescriptor(
            number: 7, kind: .tcp, purpose: purpose, peer: "10.0.0.7:5432", state: state, silence: milliseconds.map { $0 * 1_000_000 },
            retries: retries, isLikely: isLikely)
        #expect(StuckDescriptor.contains(descriptor) == isStuck)
    }

    @Test("The kernel's tables of sockets are read, also with addresses of IPv6 and without a path")
    func readsTables() throws {
        let tcp = try #require(
            Sockets.socket(
                "   1: 0100007F:BF58 0100007F:E0D1 02 00000000:00000010 01:00000064 00000003     0        0 4711 2 0 100 0 0 10 0", .tcp))
        #expect(tcp.inode == 4711 && tcp.1.state == .connecting && tcp.1.unread == 16 && tcp.1.retries == 3)
        #expect(tcp.1.local?.text == "127.0.0.1:48984" && tcp.1.peer?.text == "127.0.0.1:57553")
        #expect(Sockets.address("00000000000000000000000001000000:1F90")?.text == "[::1]:8080")
        #expect(Sockets.address("0000000000000000FFFF00000100007F:1F90")?.text == "127.0.0.1:8080")
        let named = try #require(Sockets.unixSocket("00000000aafc357: 00000002 00000000 00010000 0001 01 10494024 /run/a socket"))
        #expect(named.inode == 10_494_024 && named.1.state == .listening && named.1.path == "/run/a socket")
        #expect(Sockets.unixSocket("00000000aafc357: 00000003 00000000 00000000 0001 03 7")?.1.path == nil)
        #expect(Sockets.socket("   0: 00000000:0000", .tcp) == nil && Sockets.address("12:34") == nil)
    }
}
