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
        /// What its look at its end found; nil for a task that did not look.
        package var foundCancelled: Bool?
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

    /// How an error came to be.
    package enum Making: Equatable, Sendable {
        /// The task threw it without having taken another task's error last.
        case own
        /// The task took the error of `source` last. In the trace the new error is made of that one unless the task waited in between,
        /// which the ledger does not contain.
        case open(source: Int)
        /// The task threw it while it handled the error of `source`.
        case transformed(source: Int)
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
    /// The tasks that threw the stored error. Each such throw begins a fault.
    package private(set) var storedThrowers: [Int] = []
    /// The children of groups that cancel the others when one fails.
    private var discarded: Set<Int> = []
    private var makings: [Int: Making] = [:]
    /// By task, the latest awaited task that is no child of a group, and the latest reading of an error.
    private var latestAwaited: [Int: Int] = [:]
    private var latestReading: [Int: Reading] = [:]
    /// Errors that the plan throws in place of one that was read.
    private var replacements: Set<Int> = []
    /// The requests of the program's code to cancel a task.
    package private(set) var requests: [(target: Int, asker: Int, line: Int)] = []
    private var asked: Set<Int> = []
    package private(set) var work: [String: UInt64] = [:]
    package private(set) var wall: UInt64 = 0

    package init(_ text: String, plan: NativePlan) {
        note(plan.steps)
        for line in text.split(separator: "\n") { take(line.split(separator: " ").map(String.init)) }
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
        case "threw" where number(2) == NativePlan.storedError: storedThrowers.append(number(1))
        case "threw":
            throwsOfErrors[number(2)] = (number(1), number(3))
            makings[number(2)] = makingNow(of: number(2), by: number(1))
        case "asked":
            asked.insert(number(1))
            requests.append((number(1), number(2), number(3)))
        case "flag": tasks[number(1)]?.foundCancelled = words[2] == "true"
        case "stays": tasks[number(1)]?.stays = (words[2], number(3))
        case "awaits":
            tasks[number(1)]?.awaited.insert(number(2))
            latestAwaited[number(1)] = number(2)
        case "read":
            func isChild(_ id: Int) -> Bool { tasks[id]?.parent == number(1) && tasks[id]?.kind == "group-child" }
            let source = number(2) == -1 ? carriers[number(3)]?.first(where: isChild) ?? -1 : number(2)
            let reading = Reading(reader: number(1), source: source, error: number(3), manner: words[4])
            readings.append(reading)
            latestReading[number(1)] = reading
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
            if step.reading == .transforms { replacements.insert(step.error) }
            if step.operation == .throwingDiscardingGroup { discarded.formUnion(step.steps.map(\.id)) }
            note(step.steps)
            note(step.rest)
        }
    }

    // MARK: Faults

    /// The errors with which tasks ended.
    ///
    /// Each begins a fault, unless its task made it of another one: ``making(of:)``.
    package var faults: [Int] { carriers.keys.filter { $0 > 0 && $0 != NativePlan.storedError }.sorted() }

    package func making(of error: Int) -> Making {
        guard let making = makings[error], let first = carriers[error]?.first, throwsOfErrors[error]?.task == first else { return .own }
        // A wait of a scope whose child was cancelled from elsewhere can be a read of that child.
        guard case .transformed(let source) = making, let task = tasks[first], canBeCancelled(task) else { return making }
        return .open(source: source)
    }

    private func makingNow(of error: Int, by task: Int) -> Making {
        guard let source = latestAwaited[task],
            readings.contains(where: { $0.reader == task && $0.source == source && $0.error > 0 })
        else { return .own }
        let isReplacement = replacements.contains(error) && latestReading[task]?.source == source
        return isReplacement ? .transformed(source: source) : .open(source: source)
    }

    /// Whether a cancellation can have reached the task other than by the end of its own program text: it found itself cancelled, code asked
    /// for it, or a scope that encloses the task was left early.
    private func canBeCancelled(_ task: Task) -> Bool {
        if task.foundCancelled == true || asked.contains(task.id) || discarded.contains(task.id) { return true }
        guard let parent = tasks[task.parent] else { return false }
        switch task.kind {
        case "async-let": return !parent.awaited.contains(task.id) || canBeCancelled(parent)
        case "group-child":
            let isLeftEarly = readings.contains { reading in
                reading.reader == parent.id && tasks[reading.source]?.kind == "group-child"
                    && ["forwards", "transforms", "takesFirst"].contains(reading.manner)
            }
            return isLeftEarly || canBeCancelled(parent)
        default: return false
        }
    }

    /// Whether the trace may leave open if the task's parent read its error: the task is an `async let`, and its cancellation can be its
    /// scope's or one of the parent.
    private func canBeReadByScope(_ task: Task) -> Bool {
        guard task.kind == "async-let", let parent = tasks[task.parent] else { return false }
        return canBeCancelled(parent)
    }

    /// Whether the task is a child of a group whose parent ended in another way than with the child's error. If code of the parent took the
    /// error, no event tells what it did with it.
    private func isReadUnseen(_ task: Task, _ error: Int) -> Bool {
        task.kind == "group-child" && tasks[task.parent]?.error != error
    }

    /// The verdicts that are correct for the run, by the section *Faults* of the design. Nil if the ledger cannot decide.
    package func verdicts(of error: Int) -> Set<String>? {
        var path = NativeErrorPath()
        follow(error, &path, isCertain: true)
        return path.verdicts
    }

    /// The verdict of the fault that a throw of the stored error began, if no other task's throw of it matters.
    package func verdict(ofStoredBy thrower: Int) -> String? {
        let error = NativePlan.storedError
        guard let task = tasks[thrower], !canBeReadByScope(task), !isReadUnseen(task, error) else { return nil }
        // A child's error is its parent's only if the parent got it from no other task.
        let parent = tasks[task.parent]
        let others = carriers[error]?.filter { $0 != thrower && (tasks[$0]?.parent == parent?.id || parent?.awaited.contains($0) == true) }
        guard task.kind != "group-child" || others?.isEmpty != false else { return nil }
        let readers = readings.filter { $0.source == thrower && $0.error == error }.compactMap { tasks[$0.reader] }
        if readers.isEmpty { return "unobserved" }
        return readers.contains { $0.id != 0 && $0.state == "succeeded" } ? "recovered" : nil
    }

    private func follow(_ error: Int, _ path: inout NativeErrorPath, isCertain: Bool) {
        guard path.seen.insert(error).inserted else { return }
        for id in carriers[error] ?? [] {
            guard let task = tasks[id] else { continue }
            if canBeReadByScope(task) { path.canBeUnclear = true }
            let readings = readings.filter { $0.source == id && $0.error == error }
            if isReadUnseen(task, error) {
                // The end of the group dropped an error that no code took.
                if readings.isEmpty { path.addDropped(isCertain, canBeCancelled: canBeCancelled(task)) } else { path.addUnclear(isCertain) }
                continue
            }
            if readings.isEmpty { path.add("unobserved", isCertain) }
            for reading in readings {
                guard let reader = tasks[reading.reader], reader.id != 0, let state = reader.state else {
                    path.add("read", isCertain)
                    continue
                }
                switch state {
                case "succeeded": path.add("recovered", isCertain)
                case "cancelled": path.add("read", isCertain)
                case _ where reader.error == error: continue
                default: followReplacement(reader.error, of: id, &path, isCertain)
                }
            }
        }
    }

    /// The path where a task that read the error of `source` ended with `error`.
    private func followReplacement(_ error: Int, of source: Int, _ path: inout NativeErrorPath, _ isCertain: Bool) {
        switch making(of: error) {
        case .transformed(source: source):
            path.isReplaced = path.isReplaced || isCertain
            path.canBeReplaced = true
            follow(error, &path, isCertain: isCertain)
        case .open(source: source):
            path.canHaveEnded = true
            path.canBeReplaced = true
            follow(error, &path, isCertain: false)
        case .own, .open, .transformed:
            path.add("read", isCertain)
        }
    }
}

/// The ends of an error's path, as far as a ledger knows them.
private struct NativeErrorPath {
    var seen: Set<Int> = []
    private var ends: Set<String> = []
    /// Ends that count if the trace shows that tasks made their errors of those that they had read.
    private var possibleEnds: Set<String> = []
    /// Whether a task read the error, and the trace may show that it made its own error of it, or that it went on.
    var canHaveEnded = false
    /// Whether a task threw an error of its own for one that it read. If that one is lost, the trace cannot tell whether the task had
    /// handled the first one.
    var isReplaced = false
    var canBeReplaced = false
    private var isUnclear = false
    var canBeUnclear = false

    mutating func add(_ end: String, _ isCertain: Bool) {
        possibleEnds.insert(end)
        if isCertain { ends.insert(end) }
    }

    /// If the child may have been cancelled before it failed, the trace leaves open what became of its error.
    mutating func addDropped(_ isCertain: Bool, canBeCancelled: Bool) {
        add("unobserved", isCertain)
        canBeUnclear = canBeUnclear || canBeCancelled
    }

    mutating func addUnclear(_ isCertain: Bool) {
        canBeUnclear = canBeUnclear || !isCertain
        isUnclear = isUnclear || isCertain
    }

    var verdicts: Set<String>? {
        var verdicts = Set([best(of: possibleEnds)].compactMap(\.self))
        if canHaveEnded { verdicts.formUnion([best(of: ends.union(["read"]))].compactMap(\.self)) }
        if canBeReplaced, verdicts.contains("unobserved") {
            if isReplaced { verdicts.remove("unobserved") }
            verdicts.insert("unknown")
        }
        // A read that the trace shows decides, whatever else the trace cannot show.
        if isUnclear, !verdicts.isSubset(of: ["recovered", "read"]) || verdicts.isEmpty {
            verdicts.remove("unobserved")
            verdicts.insert("unknown")
        }
        if canBeUnclear { verdicts.insert("unknown") }
        return verdicts.isEmpty ? nil : verdicts
    }

    private func best(of ends: Set<String>) -> String? { ["recovered", "read", "unobserved"].first(where: ends.contains) }
}
