import TaskEvents
import TextOutput

/// The ids of spans. Every export of a trace has the same ids. Different runs of the program have different ids.
struct OTLPIdentifiers {
    /// The upper half of every trace id.
    private let run: UInt64

    init(program: String, startedAt start: UInt64) {
        run = Self.mix(program.utf8.reduce(start) { Self.mix($0 ^ UInt64($1)) })
    }

    /// The trace id of a chain: 16 bytes.
    func trace(of chain: TaskID) -> OTLPIdentifier {
        OTLPIdentifier(words: [run, Self.mix(chain.rawValue)])
    }

    /// The span id of a task: 8 bytes. Not all zero, as OpenTelemetry requires: `mix` is one to one and maps only 0 to 0.
    func span(of task: TaskID) -> OTLPIdentifier {
        OTLPIdentifier(words: [Self.mix(task.rawValue)])
    }

    /// The last steps of SplitMix64. They are one to one, and the low bits are uniform, so that sampling by them is fair.
    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// The id of a trace or a span.
struct OTLPIdentifier {
    fileprivate let words: [UInt64]

    /// Hexadecimal digits, as JSON has the id.
    var text: String { words.map { String($0, digits: 16, radix: 16) }.joined() }

    /// The bytes, as protocol buffers have the id.
    var bytes: [UInt8] { words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } } }
}
