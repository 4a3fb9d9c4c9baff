import TaskEvents
import TaskRuntime

/// Runs one row of the budgets a number of times, for a tool that counts instructions: `Counting ROW ROUNDS on|off`. `../count` calls it.
///
/// Instructions of user code do not depend on the machine's other load, so two runs of a row give the same count.
@main
enum Counting {
    /// The rows by name, each with the number of operations in a round.
    static let rows: [String: (operations: Int, round: @Sendable () -> Void)] = [
        "link": (1_000, { chain(links: 1_000) }),
        "continuation": (1_000, { for _ in 0..<1_000 { consume(ChainTask(0).continueOnSuccessWith(on: .immediate) { $0 &+ 1 }) } }),
        "error": (1_000, { failure(links: 1_000) }),
        "whenAll": (1_000, { join(of: 1_000) }),
        "queue": (1_000, { queue(links: 1_000) }),
    ]

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let row = rows[arguments[1]], let rounds = Int(arguments[2]) else {
            print(rows.keys.sorted().joined(separator: " "))
            return
        }
        let bus = try EventBus()
        if arguments[3] == "on" { bus.start() }
        for _ in 0..<rounds { row.round() }
        bus.stop()
        print(row.operations)
    }
}

private struct Refused: Error {
    let status = 404
}

/// Keeps the optimizer from removing the work whose result this is.
@inline(never)
private func consume(_ result: some Any) {}

private func chain(links: Int) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: .immediate) { $0 &+ 1 } }
    root.set(0)
    consume(last.result)
}

private func failure(links: Int) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: .immediate) { $0 &+ 1 } }
    root.set(error: Refused())
    consume(last.isFaulted)
}

private func join(of count: Int) {
    let sources = (0..<count).map { _ in TaskCompletionSource<Int>() }
    let all = ChainTask.whenAll(sources.map(\.task))
    for source in sources { source.set(0) }
    consume(all.isCompleted)
}

private let serial = ChainExecutor.pool(name: "serial", width: 1)

private func queue(links: Int) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: serial) { $0 &+ 1 } }
    root.set(0)
    last.wait()
}
