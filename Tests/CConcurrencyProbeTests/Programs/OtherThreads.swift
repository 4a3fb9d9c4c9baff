import Foundation

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
