import Foundation
import Testing
import TraceTestKit

@testable import HopscopeCLI

/// The lines that reach `hopscope mcp`, in whatever pieces they come.
@Suite(.timeLimit(.minutes(2)))
struct AgentInputTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// The lines of a file with this content; nil stands for one that was too long.
    private func lines(_ content: [UInt8]) throws -> [String?] {
        let path = folder.path("input")
        try Data(content).write(to: URL(fileURLWithPath: path))
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var input = MessageInput(file)
        var lines: [String?] = []
        while let line = input.next() {
            if case .message(let bytes) = line { lines.append(String(decoding: bytes, as: UTF8.self)) } else { lines.append(nil) }
        }
        #expect(input.hasEnded)
        return lines
    }

    @Test("Blank lines are no messages, and the last line may lack its end")
    func splits() throws {
        #expect(try lines(Array("one\n\n  \r\ntwo\r\nthree".utf8)) == ["one", "two\r", "three"])
        #expect(try lines([]).isEmpty)
    }

    @Test("A line of 10 MB is skipped, and the next one is read")
    func skipsLongLines() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 10 << 20)
        #expect(try lines(Array("one\n".utf8) + long + Array("\ntwo\n".utf8)) == ["one", nil, "two"])
        #expect(try lines(long) == [nil])
        let full = [UInt8](repeating: UInt8(ascii: "y"), count: MessageInput.limit)
        #expect(try lines(full + [UInt8(ascii: "\n")] + full + Array("z\n".utf8)).map { $0?.utf8.count } == [MessageInput.limit, nil])
    }

    @Test("Messages that have arrived are seen before they are taken, and a closed input is noticed")
    func looksAhead() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var input = MessageInput(ends[0])
        #expect(input.arrived().isEmpty && !input.hasEnded)
        #expect(Descriptor.write(Array("one\ntwo\nth".utf8), to: ends[1]) == nil)
        #expect(input.arrived().count == 2)
        close(ends[1])
        #expect(input.arrived().count == 3 && input.hasEnded)
        var taken = 0
        while input.next() != nil { taken += 1 }
        #expect(taken == 3)
    }
}
