import TaskEvents
import TraceAnalysis
import TraceStore

/// The ledger of a program that carried out a ``ChainPlan``: the program's own record of its tasks.
package struct ChainLedger: Sendable {
    package struct Task: Sendable {
        package let id: Int
        package let operation: String
        var hasBegun = false
        /// The tasks whose errors it read, in the order of the reads.
        var reads: [Int] = []
        /// The error that the body threw or that the task was given; 0 for none.
        var error = 0
        /// The task whose error it threw again; 0 for none.
        var rethrown = 0
        var returned: Int?
        var inputs: [Int] = []
        var state = "pending"
        var isReadOutside = false
        var step: ChainPlan.Step?
    }

    package private(set) var tasks: [Int: Task] = [:]
    /// The numbers of tasks in the order in which they were made.
    package private(set) var order: [Int] = []

    package init(_ text: String, plan: ChainPlan) {
        for line in text.split(separator: "\n") { take(line.split(separator: " ").map(String.init)) }
        for step in plan.steps + plan.leftOpen {
            if step.id != 0 { tasks[step.id]?.step = step }
            if step.operation == .setError { tasks[step.targets[0]]?.error = step.error }
            if step.operation == .error { tasks[step.id]?.error = step.error }
        }
        for id in order where tasks[id]?.operation == "error" { if tasks[id]?.step == nil { tasks[id]?.error = id } }
    }

    private mutating func take(_ words: [String]) {
        guard words.count > 1, let id = Int(words[1]) else { return }
        let other = words.count > 2 ? Int(words[2]) ?? 0 : 0
        switch words[0] {
        case "made":
            tasks[id] = Task(id: id, operation: words[2])
            order.append(id)
        case "began": tasks[id]?.hasBegun = true
        case "read": if id == 0 { tasks[other]?.isReadOutside = true } else { tasks[id]?.reads.append(other) }
        case "threw": tasks[id]?.error = other
        case "rethrew": tasks[id]?.rethrown = other
        case "returned": tasks[id]?.returned = other
        case "input": tasks[id]?.inputs.append(other)
        case "ended": tasks[id]?.state = words[2]
        default: break
        }
    }

    // MARK: Facts derived from the record

    /// The task's kind in the report.
    func kind(_ task: Task) -> TaskKind {
        switch ChainPlan.Operation(rawValue: task.operation) {
        case .source, .awsSource, .fbSource: .source
        case .delay: .delay
        case .swift: .unstructured
        case .continueWith, .continueWithTask, .onSuccess, .onSuccessTask, .onError, .onErrorTask, .awsContinue, .awsOnSuccess,
            .fbDependent,
            .fbCompletion:
            .continuation
        case .whenAll, .whenAllResults, .whenAny, .awsAll, .awsAny, .fbAll: .join
        default: .root
        }
    }

    /// The task that it continues.
    func continued(_ task: Task) -> Int? { kind(task) == .continuation ? task.step?.targets.first : nil }

    private func hasFaulted(_ id: Int) -> Bool { tasks[id]?.state == "faulted" }

    private func isOfFB(_ task: Task) -> Bool { task.operation.hasPrefix("fb") }

    /// The manner in which a task faulted, and the task that its error came from.
    func origin(_ task: Task) -> (manner: FaultManner, source: Int) {
        if kind(task) == .join {
            let failed = task.inputs.filter(hasFaulted)
            return failed.isEmpty ? (.thrown, 0) : failed.count == 1 ? (.forwarded, failed[0]) : (.transformed, 0)
        }
        if let returned = task.returned { return (.forwarded, returned) }
        if let continued = continued(task), !task.hasBegun { return (.forwarded, continued) }
        guard let read = task.reads.first else { return (.thrown, 0) }
        guard task.rethrown != 0 else { return (.transformed, read) }
        // A SwiftTask wraps what its block throws. Only what was wrapped before is the same error again.
        if isOfFB(task), errorType(task.rethrown) != "SwiftTaskException" { return (.transformed, read) }
        // Several of the tasks may have ended with that error.
        return (.forwarded, task.reads.first { error($0) == error(task.rethrown) } ?? task.rethrown)
    }

    /// The task in which a faulted task's error began.
    private func error(_ id: Int) -> Int {
        guard let task = tasks[id] else { return id }
        let (manner, source) = origin(task)
        return manner == .forwarded ? error(source) : id
    }

    /// The type of a faulted task's error.
    func errorType(_ id: Int) -> String {
        guard let task = tasks[id] else { return "none" }
        let (manner, source) = origin(task)
        if task.hasBegun, task.returned == nil, isOfFB(task) { return "SwiftTaskException" }
        if manner == .forwarded { return errorType(source) }
        if kind(task) == .join { return task.operation.hasPrefix("aws") || isOfFB(task) ? "NSError" : "AggregateError" }
        return task.error.isMultiple(of: 2) ? "FirstFailure" : "SecondFailure"
    }

    /// The tasks that the report names as antecedents, in its order. Nil if that depends on the time at which a value was read.
    func antecedents(_ task: Task) -> [Int]? {
        let own = kind(task) == .join ? task.inputs : continued(task).map { [$0] } ?? []
        return task.operation == "operation" || task.operation == "swift" ? nil : own + (task.returned.map { [$0] } ?? [])
    }

    /// The first task of its chain.
    func chain(_ task: Task) -> Int {
        var task = task
        while let before = continued(task), let next = tasks[before] { task = next }
        return task.id
    }

    /// The executor that the task asked for. An empty text for none; nil if the ledger does not contain it.
    func executor(_ task: Task) -> String? {
        switch ChainPlan.Operation(rawValue: task.operation) {
        case .root, .flattening, .continueWith, .continueWithTask, .onSuccess, .onSuccessTask, .onError, .onErrorTask:
            task.step.map { ChainPlan.executors[$0.executor] }
        case .value, .error, .cancelled, .source, .delay, .whenAll, .whenAllResults, .whenAny, .awsSource, .fbSource, .awsAll, .awsAny,
            .fbAll:
            ""
        default: nil
        }
    }

    /// The facts for the definition of roles and paths. `numbers` are the tasks' numbers in the report, `ended` the times of their ends.
    func truths(_ numbers: [Int: UInt64], ended: [Int: UInt64]) -> [TaskTruth] {
        func number(_ id: Int) -> TaskID { TaskID(rawValue: numbers[id] ?? 0) }
        return order.compactMap { id in
            guard numbers[id] != nil, let task = tasks[id] else { return nil }
            var truth = TaskTruth(
                id: number(id), kind: kind(task), continues: continued(task).map(number), inputs: task.inputs.map(number))
            truth.inner = task.returned.map(number)
            truth.state = TaskState.allCases.first { $0.name == task.state } ?? .pending
            // A Swift task that throws an error of its own begins a fault, even if it had read another error: see `NativeLedger`.
            if task.state == "faulted", task.operation != "swift" || task.rethrown != 0 {
                let (manner, source) = origin(task)
                (truth.manner, truth.source) = (manner, source == 0 ? .none : number(source))
            }
            truth.reads = Set(task.reads.map(number))
            truth.hasBegun = task.hasBegun
            truth.isReadOutside = task.isReadOutside
            truth.ended = ended[id] ?? 0
            return truth
        }
    }
}
