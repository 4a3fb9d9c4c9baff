// Four loops that make, await and drop tasks without a pause, beside 1,000 tasks that stay and have names of their own.
import Glibc

nonisolated(unsafe) var kept: [UnsafeContinuation<Void, Never>] = []
@MainActor func park() async { await withUnsafeContinuation { kept.append($0) } }
actor Counter {
    var n = 0
    func bump() { n += 1 }
}
func step(_ counter: Counter) async -> Int {
    await counter.bump()
    await Task.yield()
    return 1
}
func pair(_ counter: Counter) async -> Int {
    async let a = step(counter)
    async let b = step(counter)
    return await a + b
}
@main struct Churn {
    @MainActor static func main() async {
        for i in 0..<1000 { Task(name: "stay-\(i)") { await park() } }
        while kept.count < 1000 { await Task.yield() }
        let counter = Counter()
        for k in 0..<4 {
            Task.detached(name: "churn-\(k)") {
                while true {
                    _ = await pair(counter)
                    _ = await Task.detached(name: "short") { await step(counter) }.value
                    await withTaskGroup(of: Int.self) { group in
                        for _ in 0..<4 { group.addTask(name: "member") { await step(counter) } }
                        for await _ in group {}
                    }
                }
            }
        }
        print("ready")
        fflush(stdout)
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
