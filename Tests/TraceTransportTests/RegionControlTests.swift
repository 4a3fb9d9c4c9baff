import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Commands to a running program.
@Suite struct RegionControlTests {
    private static let all: [Control] = [
        .ping, .mark(""), .mark("here ✓"), .hold(.all), .hold(.executor(ExecutorID(rawValue: 7))), .open(.all),
        .open(.executor(.overflow)), .step(.executor(ExecutorID(rawValue: 256))), .stepInto(chain: TaskID(rawValue: 1 << 40)), .runToFault,
        .runToMainHop, .cancel(TaskID(rawValue: 3)), .fault(TaskID(rawValue: .max), message: "no network"),
        .runTo(
            JobCondition([
                .init(.any, isPart: true, ["save", "ŝparo"]), .init(.executor, isNegated: true, ["m*n"]), .init(.task, ["3"]),
            ])),
    ]

    @Test func everyCommandIsReadBackFromItsBytes() {
        for control in Self.all { #expect(Control(bytes: control.bytes) == control) }
        for answer in [.done("yes"), .unsupported(""), .failed("too late"), .refused("no")] as [ControlAnswer] {
            #expect(ControlAnswer(bytes: answer.bytes) == answer)
        }
    }

    @Test func commandsKeepTheirEncoding() {
        #expect(Control.ping.bytes == [1, 1])
        #expect(Control.mark("é").bytes == [1, 2, 0xC3, 0xA9])
        #expect(Control.hold(.executor(ExecutorID(rawValue: 258))).bytes == [1, 3, 2, 1])
        #expect(Control.fault(TaskID(rawValue: 5), message: "x").bytes == [1, 10, 5, 0, 0, 0, 0, 0, 0, 0, 0x78])
        let condition = JobCondition([.init(.name, isPart: true, ["x"]), .init(.chain, isNegated: true, ["2"])])
        #expect(Control.runTo(condition).bytes == [1, 11] + "2\u{1F}+~\u{1F}x\u{1E}6\u{1F}-:\u{1F}2".utf8)
    }

    @Test(
        arguments: [
            [], [1], [2, 1], [1, 0], [1, 99], [1, 1, 0], [1, 3], [1, 3, 1], [1, 3, 1, 0, 0], [1, 9, 1, 2, 3],
            [1, 9, 0, 0, 0, 0, 0, 0, 0, 0],
            [1, 2, 0xFF], [1, 11], [1, 11, 0x32], [1, 11, 0x32, 0x1F, 0x2B, 0x7E], [1, 11, 0x39, 0x1F, 0x2B, 0x7E, 0x1F, 0x78],
            [1, 11, 0x32, 0x1F, 0x21, 0x7E, 0x1F, 0x78], [1, 10, 5, 0, 0, 0, 0, 0, 0, 0, 0xC3],
        ] as [[UInt8]])
    func invalidBytesAreNoCommand(bytes: [UInt8]) {
        #expect(Control(bytes: bytes) == nil)
    }

    @Test func aLongTextIsCutAtItsEnd() {
        let control = Control.mark(String(repeating: "é", count: 5000))
        #expect(control.bytes.count <= 4096)
        #expect(Control(bytes: control.bytes) == .mark(String(repeating: "é", count: 2047)))
    }

    /// A program that is stopped: the kernel accepts connections and messages for it, and nothing answers.
    @Test func aProgramThatNeverAnswersHoldsNobodyUp() throws {
        let folder = try RegionFolder()
        let directory = try folder.directory
        let listener = trace_control_listen(directory.descriptor, ControlServer.name(ofRegion: "1-program.hoplanes"))
        #expect(listener >= 0)
        let connection = try ControlConnection(in: directory, region: "1-program.hoplanes")
        connection.ask(.hold(.all))
        for _ in 0..<1000 { #expect(!connection.isAnswered) }
        close(listener)
        #expect(connection.isAnswered)
        #expect(throws: TraceProblem.self) { try connection.answer() }
    }

    @Test func anAnswerIsTakenOnceItIsThere() async throws {
        let program = try Program()
        let connection = try program.connect()
        for control in [Control.hold(.all), .step(.all)] {
            connection.ask(control)
            #expect(eventuallyBlocking { connection.isAnswered })
            #expect(try connection.answer() == .done("Done."))
        }
        #expect(program.asked == [.hold(.all), .step(.all)])
    }

    /// A server in a folder of its own, and the commands that it received.
    private final class Program: Sendable {
        let folder: RegionFolder
        let orders: Orders
        let server: ControlServer

        final class Orders: Sendable {
            let all = Guarded<[Control]>([])
        }

        init(user: UInt32 = geteuid()) throws {
            let folder = try RegionFolder()
            self.folder = folder
            let orders = Orders()
            self.orders = orders
            server = try ControlServer(in: folder.directory, region: "1-program.hoplanes", user: user) { control in
                orders.all.withLock { $0.append(control) }
                if case .cancel = control { return .failed("The task has ended.") }
                return .done("Done.")
            }
        }

        deinit { server.stop() }

        var asked: [Control] { orders.all.withLock { $0 } }

        func connect() throws -> ControlConnection {
            try ControlConnection(in: folder.directory, region: "1-program.hoplanes")
        }
    }

    @Test func aCommandReachesItsHandlerAndTheAnswerReturns() throws {
        let program = try Program()
        var status = stat()
        #expect(lstat("\(program.folder.path)/1-program.control", &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600)
        let one = try program.connect()
        let other = try program.connect()
        #expect(try one.send(.ping) == .done("The program runs."))
        #expect(try other.send(.hold(.all)) == .done("Done."))
        #expect(try one.send(.cancel(TaskID(rawValue: 9))) == .failed("The task has ended."))
        #expect(program.asked == [.hold(.all), .cancel(TaskID(rawValue: 9))])
        program.server.stop()
        program.server.stop()
        #expect(program.folder.names.isEmpty)
        #expect(throws: TraceProblem.self) { try one.send(.ping) }
        #expect(throws: TraceProblem(.missing, "The program takes no commands: you can look, but not control it.")) {
            try program.connect()
        }
    }

    @Test func anInvalidCommandIsRefusedAndTheNextOneServed() async throws {
        let program = try Program()
        let connection = try program.connect()
        var random = SeededGenerator(seed: 11)
        for length in [1, 2, 3, 100, 4096, 4097, 60_000] {
            let message = [9] + (1..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let answer = try connection.exchange(message)
            #expect(answer == .refused("This program does not know that command; it may be built with an older Hopscope."))
        }
        // Some of these are marks, which must not enter another test's recording.
        try await EventRecording.alone {
            for _ in 0..<5000 {
                let length = Int.random(in: 1..<40, using: &random)
                _ = try connection.exchange([1] + (0..<length).map { _ in UInt8.random(in: 0...12, using: &random) })
            }
        }
        #expect(try connection.send(.ping).isDone)
    }

    @Test func aClientThatNeverReadsBlocksNoOther() throws {
        let program = try Program()
        let silent = trace_control_connect(try descriptor(of: program.folder.path), "1-program.control", 1000)
        #expect(silent >= 0)
        let ping = Control.ping.bytes
        // Until the server closes the connection because its answers find no room.
        var sent = 0
        while sent < 100_000, trace_control_send(silent, ping, ping.count, true) { sent += 1 }
        #expect(sent < 100_000)
        #expect(try program.connect().send(.ping).isDone)
        close(silent)
    }

    @Test func connectionsPastTheLimitReplaceTheOldest() throws {
        let program = try Program()
        let clients = try (0..<12).map { _ in
            let client = try program.connect()
            #expect(try client.send(.ping).isDone)
            return client
        }
        #expect(throws: TraceProblem.self) { try clients[0].send(.ping) }
        #expect(try clients[11].send(.ping).isDone)
    }

    @Test func anotherUserIsRefused() throws {
        // This process plays the other user, towards a server that belongs to a different user.
        let program = try Program(user: geteuid() + 1)
        let answer = try program.connect().send(.hold(.all))
        #expect(answer == .refused("This program takes commands from the user with id \(geteuid() + 1) alone."))
        #expect(program.asked.isEmpty)
    }

    /// First a directory that keeps other users out, then one that does not, where the kernel names the client's user.
    @Test(arguments: [0o700, 0o755] as [mode_t])
    func anotherUsersProcessIsRefused(mode: mode_t) async throws {
        guard geteuid() == 0 else { return }
        let folder = try RegionFolder()
        await passing(folder.path, mode) {
            await #expect(processExitsWith: .success) {
                let (path, mode) = try passed(String.self, mode_t.self)
                let server = try ControlServer(in: TraceDirectory(path: path), region: "1-program.hoplanes") { _ in .done("Done.") }
                let descriptor = open(path, O_RDONLY | O_DIRECTORY)
                #expect(chmod(path, mode) == 0)
                if mode != 0o700 { #expect(chmod("\(path)/1-program.control", 0o666) == 0) }
                // Linux keeps credentials per thread: this thread becomes nobody, the server's stays root.
                #expect(becomeUser(65_534) == 0)
                let connection = trace_control_connect(descriptor, "1-program.control", 1000)
                if mode == 0o700 {
                    #expect(connection == -1 && errno == EACCES)
                } else {
                    var answer = [UInt8](repeating: 0, count: 4096)
                    let length = trace_control_receive(connection, &answer, answer.count)
                    let refused = ControlAnswer.refused("This program takes commands from the user with id 0 alone.")
                    #expect(ControlAnswer(bytes: answer.prefix(max(length, 0))) == refused)
                }
                withExtendedLifetime(server) {}
            }
        }
    }

    private func descriptor(of path: String) throws -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        return try #require(descriptor >= 0 ? descriptor : nil)
    }
}

/// Makes the calling thread, and no other, run as another user.
private func becomeUser(_ user: UInt32) -> Int {
    typealias Call = @convention(c) (Int, UInt, UInt, UInt) -> Int
    let call = unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)
    #if arch(x86_64)
        let number = 117
    #else
        let number = 147
    #endif
    return call(number, UInt(user), UInt(user), UInt(user))
}
