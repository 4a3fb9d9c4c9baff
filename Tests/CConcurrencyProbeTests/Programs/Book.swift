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

/// Waits until every other thread sleeps: no task and no block runs any more, and the tasks that stay have suspended.
func waitForOtherThreads() {
    /// The state is the word after the name, which is in parentheses.
    func sleeps(_ thread: String) -> Bool {
        let facts = (try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)) ?? ""
        return facts.isEmpty || facts.split(separator: ")").last?.split(separator: " ").first == "S"
    }
    // The link is `PID/task/THREAD`.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/").last
    var quiet = 0
    while quiet < 5 {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        quiet = threads.allSatisfy { $0 == own.map(String.init) || sleeps($0) } ? quiet + 1 : 0
        usleep(1000)
    }
}
