import Foundation
import TaskEvents

/// A search for inputs that break a part. A case is made from a seed, so a seed is enough to repeat it.
///
/// An ordinary run tries a few cases, always the same. With `HOPSCOPE_FUZZ_SECONDS=n` in the environment, each search takes n seconds.
/// `HOPSCOPE_FUZZ_SEED=n` sets its first seed. If a case ends the process, its seed is in the file that `HOPSCOPE_FUZZ_LOG` names.
package enum Fuzz {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["HOPSCOPE_FUZZ_SECONDS"].flatMap(Double.init)
    private static let firstSeed = environment["HOPSCOPE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// Runs cases, at least one, and prints how many there were.
    package static func run(_ name: String, cases: Int, _ body: (_ seed: UInt64, _ random: inout SeededGenerator) throws -> Void) throws {
        let log = environment["HOPSCOPE_FUZZ_LOG"].map { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) } ?? -1
        defer { if log >= 0 { close(log) } }
        let taken = TimeSource().elapsed()
        var seed = firstSeed
        var done = 0
        repeat {
            note("\(name) seed \(seed)", in: log)
            var random = SeededGenerator(seed: seed)
            do {
                try body(seed, &random)
            } catch {
                print("fuzz: \(name) failed at seed \(seed)")
                throw error
            }
            seed &+= 1
            done += 1
        } while seconds.map { Double(taken()) < $0 * 1e9 } ?? (done < cases)
        print("fuzz: \(name), \(done) cases from seed \(firstSeed)")
    }

    private static func note(_ text: String, in log: Int32) {
        guard log >= 0 else { return }
        let line = Array("\(text)\n".utf8)
        if pwrite(log, line, line.count, 0) == line.count { _ = ftruncate(log, off_t(line.count)) }
    }
}

/// Numbers at the limits of the fields' ranges.
package enum ExtremeNumbers {
    package static let all: [UInt64] = [
        0, 1, 2, 255, 256, 65_535, 65_536, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 53, 1 << 56, 1 << 57, 1 << 61, 1 << 62, 1 << 63 - 1, 1 << 63,
        .max - 1, .max,
    ]
}

/// Pieces of text that often break parsers and pictures.
package enum HostileText {
    private static let pieces = [
        "", " ", "\t", "\n", "\"", "'", "\"\"\"", "[", "]", "[[", "{", "}", "=", ",", ":", "-", "--", "~", "!", ">", "<", ">=", "#", "\\",
        "/", "*",
        ".", "..", "0", "1", "-1", "1e308", "1e-308", "nan", "inf", "99999999999999999999", "9223372036854775807", "0x7f", "1ms", "1h",
        "99999999h",
        "%", "{}", "\u{0}", "\u{1B}[2J", "\u{9B}", "\u{202E}", "\u{2028}", "e\u{301}", "👩‍👩‍👧", "名", "\u{FEFF}", "a", "true", "none", "all",
    ]

    /// A text made of these pieces and of words that the part under test knows.
    package static func make(_ words: [String], _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Int.random(in: 0..<3, using: &random) > 0 && !words.isEmpty
                ? words.randomElement(using: &random)! : pieces.randomElement(using: &random)!
        }.joined(separator: Bool.random(using: &random) ? "" : " ")
    }
}
