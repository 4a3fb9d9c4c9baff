// The ledger of a program that carries out a plan.

import Foundation
import Synchronization

/// The lines of the ledger, in the order in which they were written.
final class Book: Sendable {
    private let lines = Mutex<[String]>([])
    static let shared = Book()

    func write(_ line: String) { lines.withLock { $0.append(line) } }
    func count(of word: String) -> Int { lines.withLock { $0.count { $0.hasPrefix(word) } } }
    var text: String { lines.withLock { $0.joined(separator: "\n") + "\n" } }
}

/// The monotonic clock's nanoseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
