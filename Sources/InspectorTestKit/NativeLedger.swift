/// The ledger of a program that carried out a ``NativePlan``: the program's own record of its tasks.
package struct NativeLedger: Sendable {
    package struct Task: Sendable {
        package let id: Int
        package let kind: String
        package let parent: Int
        package let executor: String
        /// The line of the program that made the task; 0 if it is not known.
        package var line = 0
        /// The kind of wait that the task is in when the program ends, and the task whose value it waits for, 0 for none.
        package var stays: (kind: String, task: Int)?
        /// Nil for a task that has not ended.
        package var state: String?
        /// The error that the task ended with; 0 for none, -1 for a cancellation.
        package var error = 0
        package var hasBegun = false
        package var awaited: Set<Int> = []
        package var work: UInt64 = 0

        /// The name in the report; nil for an `async let`, which cannot be named.
        package var name: String? { kind == "async-let" ? nil : "t\(id)" }
    }

    package struct Reading: Sendable {
        package let reader: Int
        package let source: Int
        package let error: Int
        package let manner: String
    }

    /// The tasks by id. The main function's task is 0.
    package private(set) var tasks: [Int: Task] = [0: Task(id: 0, kind: "root", parent: 0, executor: "global")]
    /// Ids in the order of task creation.
    package private(set) var order: [Int] = []
    package private(set) var readings: [Reading] = []
    /// By error, the tasks that ended with it, in the order of their ends.
    package private(set) var carriers: [Int: [Int]] = [:]
    /// By error, the task that threw it first and the line of that throw; 0 if the error came in by a continuation.
    package private(set) var throwsOfErrors: [Int: (task: Int, line: Int)] = [:]
    package private(set) var secondFailures: Set<Int> = []
    package private(set) var work: [String: UInt64] = [:]
    package private(set) var wall: UInt64 = 0

    package init(_ text: String, plan: NativePlan) {
        for line in text.split(separator: "\n") { take(line.split(separator: " ").map(String.init)) }
        note(plan.steps)
    }

    private mutating func take(_ words: [String]) {
        func number(_ index: Int) -> Int { index < words.count ? Int(words[index]) ?? 0 : 0 }
        switch words.first {
        case "made":
            let executor = words.count > 4 ? words[4] : "?"
            tasks[number(1)] = Task(id: number(1), kind: words[2], parent: number(3), executor: executor, line: number(5))
            order.append(number(1))
        case "began": tasks[number(1)]?.hasBegun = true
        case "ended":
            tasks[number(1)]?.state = words[2]
            tasks[number(1)]?.error = number(3)
            if words[2] == "faulted" { carriers[number(3), default: []].append(number(1)) }
        case "threw": throwsOfErrors[number(2)] = (number(1), number(3))
        case "stays": tasks[number(1)]?.stays = (words[2], number(3))
        case "awaits": tasks[number(1)]?.awaited.insert(number(2))
        case "read":
            let source = number(2) == -1 ? carriers[number(3)]?.first { tasks[$0]?.parent == number(1) } ?? -1 : number(2)
            readings.append(Reading(reader: number(1), source: source, error: number(3), manner: words[4]))
        case "work":
            tasks[number(1)]?.work += UInt64(number(3))
            work[words[2], default: 0] += UInt64(number(3))
        case "wall": wall = UInt64(number(1))
        default: break
        }
    }

    private mutating func note(_ steps: [NativePlan.Step]) {
        for step in steps {
            if step.operation == .failTyped || step.operation == .fail && step.number == 1 { secondFailures.insert(step.id) }
            note(step.steps)
            note(step.rest)
        }
    }

    // MARK: Faults

    /// The errors with which tasks ended.
    ///
    /// Each begins a fault. An error that a task threw in place of another also stands on the path of that other, as `transformed`: the
    /// probe does not see whether the one was made of the other.
    package var faults: [Int] { carriers.keys.filter { $0 > 0 }.sorted() }

    /// The verdicts that are correct for the run, by the section *Faults* of the design. Nil if the ledger cannot decide.
    package func verdicts(of error: Int) -> Set<String>? {
        var ends: Set<String> = []
        var isOpen = false
        var seen: Set<Int> = []
        func follow(_ error: Int) {
            guard seen.insert(error).inserted else { return }
            for id in carriers[error] ?? [] {
                let readings = readings.filter { $0.source == id && $0.error == error }
                if readings.isEmpty {
                    // A scope that awaits its child without looking at the result drops the error, and no task can record that.
                    let isChild = tasks[id]?.kind == "async-let" || tasks[id]?.kind == "group-child"
                    if isChild { isOpen = true } else { ends.insert("unobserved") }
                }
                for reading in readings {
                    guard let reader = tasks[reading.reader], reader.id != 0, let state = reader.state else {
                        ends.insert("read")
                        continue
                    }
                    switch state {
                    case "succeeded": ends.insert("recovered")
                    case "cancelled": ends.insert("read")
                    default:
                        if reader.error == error { continue }
                        if reading.manner == "transforms" { follow(reader.error) } else { isOpen = true }
                    }
                }
            }
        }
        follow(error)
        let best = ["recovered", "read", "unobserved"].first(where: ends.contains)
        if best == "recovered" { return ["recovered"] }
        return isOpen ? nil : best.map { [$0] }
    }
}
