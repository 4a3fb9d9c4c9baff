// Carries out a plan of chains with the runtime and its dialects, and writes a ledger of what happened.
//
//   chain-ledger PLAN LEDGER

import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import Synchronization
import TaskRuntime

import func AlecrimTasks.async
import func AlecrimTasks.await

struct FirstFailure: Error { let id: Int }
struct SecondFailure: Error { let id: Int }

/// Lines of the ledger, in the order in which they were written.
final class Book: Sendable {
    private let lines = Mutex<[String]>([])
    static let shared = Book()

    func write(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined(separator: "\n") + "\n" } }
    /// The number of Swift tasks that have ended.
    var ends: Int { lines.withLock { $0.count { $0.hasPrefix("ended") } } }
}

func failure(_ id: Int) -> any Error { id.isMultiple(of: 2) ? FirstFailure(id: id) : SecondFailure(id: id) }

/// Keeps the thread for the body's time.
func work(_ step: ChainPlan.Step) {
    let start = DispatchTime.now().uptimeNanoseconds
    while DispatchTime.now().uptimeNanoseconds - start < UInt64(step.work) * 1000 {}
}

// MARK: - Tasks

/// A task of any of the libraries.
enum Node: Sendable {
    case number(ChainTask<Int>)
    case void(ChainTask<Void>)
    case list(ChainTask<[Int]>)
    case aws(AWSTask<AnyObject>)
    case fb(SwiftTask)
    case alecrim(await: @Sendable () throws -> Int, ChainTask<Int>)
    case swift

    /// The state's name in the report. Asking for it reads no error.
    var state: String {
        switch self {
        case .number(let task): Self.state(task.isCompleted, task.isFaulted, task.isCancelled)
        case .void(let task): Self.state(task.isCompleted, task.isFaulted, task.isCancelled)
        case .list(let task): Self.state(task.isCompleted, task.isFaulted, task.isCancelled)
        case .aws(let task): Self.state(task.isCompleted, task.isFaulted, task.isCancelled)
        // A join succeeds with nil; only the description shows that without reading the error.
        case .fb(let task): Self.state(task.completed, !task.isCancelled && !task.description.contains("Result("), task.isCancelled)
        case .alecrim(_, let task): Self.state(task.isCompleted, task.isFaulted, task.isCancelled)
        case .swift: "succeeded"
        }
    }

    private static func state(_ isCompleted: Bool, _ isFaulted: Bool, _ isCancelled: Bool) -> String {
        isFaulted && isCompleted ? "faulted" : isCancelled ? "cancelled" : isCompleted ? "succeeded" : "pending"
    }

    /// The error, which counts as read.
    var error: (any Error)? {
        switch self {
        case .number(let task), .alecrim(_, let task): task.error
        case .void(let task): task.error
        case .list(let task): task.error
        case .aws(let task): task.error
        case .fb(let task): task.error ?? task.exception
        case .swift: nil
        }
    }
}

enum Source {
    case core(TaskCompletionSource<Int>)
    case aws(AWSTaskCompletionSource<AnyObject>)
    case fb(SwiftTaskCompletionSource)
}

/// All that the program has made, by number. Only the main function's task changes it; bodies read nodes through `nodes`.
final class World: @unchecked Sendable {
    let nodes = Mutex<[Int: Node]>([:])
    var sources: [Int: Source] = [:]
    var tokens: [Int: CancellationTokenSource] = [:]
    var swiftTasks: [_Concurrency.Task<Int, any Error>] = []
    let executors: [ChainExecutor]

    init() {
        let line = DispatchQueue(label: "line.queue")
        executors = [
            .default, .immediate, .main, .queue(DispatchQueue(label: "disk")), .pool(name: "net", width: 2),
            .custom(name: "line") { job in line.async { job() } },
        ]
    }

    subscript(id: Int) -> Node { nodes.withLock { $0[id]! } }
    func add(_ node: Node, as id: Int) { nodes.withLock { $0[id] = node } }

    func token(_ id: Int) -> CancellationToken? {
        guard id != 0 else { return nil }
        if tokens[id] == nil { tokens[id] = CancellationTokenSource() }
        return tokens[id]!.token
    }
}

let world = World()

// MARK: - Bodies

/// Reads the error that the step says, and returns it.
func read(_ step: ChainPlan.Step) -> (any Error)? {
    guard step.reads != 0, let error = world[step.reads].error else { return nil }
    Book.shared.write("read \(step.id) \(step.reads)")
    return error
}

/// Begins a body: reads and works.
func begin(_ step: ChainPlan.Step) -> (any Error)? {
    Book.shared.write("began \(step.id)")
    work(step)
    return read(step)
}

/// Ends a body that has read the error of `source`.
func finish(_ step: ChainPlan.Step, _ error: (any Error)?, of source: Int) throws {
    switch step.end {
    case .throwsNew:
        Book.shared.write("threw \(step.id) \(step.error)")
        throw failure(step.error)
    case .throwsRead:
        guard let error else { return }
        Book.shared.write("rethrew \(step.id) \(source)")
        throw error
    case .cancels: throw CancellationError()
    case .returns, .returnsTask: break
    }
}

func body(_ step: ChainPlan.Step) throws -> Int {
    try finish(step, begin(step), of: step.reads)
    return step.id
}

func flattenedBody(_ step: ChainPlan.Step) throws -> ChainTask<Int> {
    try finish(step, begin(step), of: step.reads)
    if step.end == .returnsTask, case .number(let task) = world[step.returned] {
        Book.shared.write("returned \(step.id) \(step.returned)")
        return task
    }
    Book.shared.write("made \(-step.id) root")
    Book.shared.write("returned \(step.id) \(-step.id)")
    let task = ChainTask(step.id, name: "t-\(step.id)")
    world.add(.number(task), as: -step.id)
    return task
}

/// The body of a block of AWSTask: it reports an error by returning a failed task.
func awsBody(_ step: ChainPlan.Step) -> Any? {
    _ = begin(step)
    switch step.end {
    case .throwsNew:
        Book.shared.write("made \(step.error) error")
        Book.shared.write("returned \(step.id) \(step.error)")
        let task = AWSTask<AnyObject>(error: failure(step.error), name: "t\(step.error)")
        world.add(.aws(task), as: step.error)
        return task
    case .returnsTask:
        guard case .aws(let task) = world[step.returned] else { return nil }
        Book.shared.write("returned \(step.id) \(step.returned)")
        return task
    default: return NSNumber(value: step.id)
    }
}

func fbBody(_ step: ChainPlan.Step) throws -> Any? {
    let error = begin(step)
    if step.end == .returnsTask, case .fb(let task) = world[step.returned] {
        Book.shared.write("returned \(step.id) \(step.returned)")
        return task
    }
    try finish(step, error, of: step.reads)
    return NSNumber(value: step.id)
}

/// Awaits a chain from a Swift task or from a chain's asynchronous body.
func asyncBody(_ step: ChainPlan.Step) async throws -> Int {
    Book.shared.write("began \(step.id)")
    var error: (any Error)?
    do {
        switch world[step.targets[0]] {
        case .number(let task), .alecrim(_, let task): _ = try await task.value
        case .void(let task): _ = try await task.value
        case .list(let task): _ = try await task.value
        case .aws, .fb, .swift: break
        }
    } catch let thrown {
        if !(thrown is CancellationError) {
            Book.shared.write("read \(step.id) \(step.targets[0])")
            error = thrown
        }
    }
    try finish(step, error, of: step.targets[0])
    return step.id
}

// MARK: - Steps

func carryOut(_ step: ChainPlan.Step) {
    let name = "t\(step.id)", line = UInt(max(step.id, 0))
    let executor = world.executors[step.executor]
    if step.id != 0 { Book.shared.write("made \(step.id) \(step.operation)") }
    switch step.operation {
    case .value: world.add(.number(ChainTask(step.id, name: name, line: line)), as: step.id)
    case .error: world.add(.number(ChainTask(error: failure(step.error), name: name, line: line)), as: step.id)
    case .cancelled: world.add(.number(.cancelled(name: name, line: line)), as: step.id)
    case .delay: world.add(.void(.delay(.milliseconds(1), name: name, line: line)), as: step.id)
    case .source:
        let source = TaskCompletionSource<Int>(name: name, line: line)
        world.sources[step.id] = .core(source)
        world.add(.number(source.task), as: step.id)
    case .root: world.add(.number(ChainTask(on: executor, name: name, line: line) { try body(step) }), as: step.id)
    case .flattening: world.add(.number(.flattening(on: executor, name: name, line: line) { try flattenedBody(step) }), as: step.id)
    case .operation: world.add(.number(ChainTask(name: name, line: line, operation: { try await asyncBody(step) })), as: step.id)
    case .swift:
        world.add(.swift, as: step.id)
        world.swiftTasks.append(
            _Concurrency.Task(name: name) {
                do {
                    let value = try await asyncBody(step)
                    Book.shared.write("ended \(step.id) succeeded")
                    return value
                } catch {
                    Book.shared.write("ended \(step.id) faulted")
                    throw error
                }
            })
    case .continueWith, .continueWithTask, .onSuccess, .onSuccessTask, .onError, .onErrorTask: world.add(continued(step), as: step.id)
    case .whenAll, .whenAllResults, .whenAny: join(step)
    case .awsSource:
        let source = AWSTaskCompletionSource<AnyObject>(name: name, line: line)
        world.sources[step.id] = .aws(source)
        world.add(.aws(source.task), as: step.id)
    case .awsContinue, .awsOnSuccess, .awsAll, .awsAny: world.add(.aws(aws(step)), as: step.id)
    case .fbSource:
        let source = SwiftTaskCompletionSource(name: name, line: line)
        world.sources[step.id] = .fb(source)
        world.add(.fb(source.task), as: step.id)
    case .fbDependent, .fbCompletion, .fbAll: world.add(.fb(fb(step)), as: step.id)
    case .alecrimAsync, .alecrimAwait: world.add(alecrim(step), as: step.id)
    case .setValue, .setError, .setCancelled: set(step)
    case .cancelToken:
        world.tokens[step.targets[0]]?.cancel()
    case .readOutside:
        if world[step.targets[0]].error != nil { Book.shared.write("read 0 \(step.targets[0])") }
    }
}

func continued(_ step: ChainPlan.Step) -> Node {
    switch world[step.targets[0]] {
    case .number(let task), .alecrim(_, let task):
        switch step.operation {
        case .onError:
            .number(handled(task, step))
        case .onErrorTask:
            .number(
                task.continueOnErrorWithTask(
                    on: world.executors[step.executor], name: "t\(step.id)", cancellation: world.token(step.token), line: UInt(step.id)
                ) { error in
                    Book.shared.write("read \(step.id) \(step.targets[0])")
                    return try flattenedBody(step)
                })
        default: .number(followed(task, step))
        }
    case .void(let task): .number(followed(task, step))
    case .list(let task): .number(followed(task, step))
    case .aws, .fb, .swift: preconditionFailure("\(step) continues a task of another library")
    }
}

/// An error handler of one type of error, or of any.
func handled(_ task: ChainTask<Int>, _ step: ChainPlan.Step) -> ChainTask<Int> {
    let (name, executor, token, line) = ("t\(step.id)", world.executors[step.executor], world.token(step.token), UInt(step.id))
    let handler: @Sendable (any Error) throws -> Int = { error in
        Book.shared.write("began \(step.id)")
        Book.shared.write("read \(step.id) \(step.targets[0])")
        work(step)
        try finish(step, error, of: step.targets[0])
        return step.id
    }
    guard step.reads == 0 else {
        return task.continueOnErrorWith(on: executor, name: name, cancellation: token, line: line, handler)
    }
    return task.continueOnErrorWith(on: executor, name: name, cancellation: token, line: line) { (error: FirstFailure) in try handler(error)
    }
}

/// A continuation that runs after any end, or after success.
func followed<Value: Sendable>(_ task: ChainTask<Value>, _ step: ChainPlan.Step) -> ChainTask<Int> {
    let (name, executor, token, line) = ("t\(step.id)", world.executors[step.executor], world.token(step.token), UInt(step.id))
    switch step.operation {
    case .onSuccess:
        return task.continueOnSuccessWith(on: executor, name: name, cancellation: token, line: line) { _ in try body(step) }
    case .onSuccessTask:
        return task.continueOnSuccessWithTask(on: executor, name: name, cancellation: token, line: line) { _ in try flattenedBody(step) }
    case .continueWithTask, .onErrorTask:
        return task.continueWithTask(on: executor, name: name, cancellation: token, line: line) { _ in try flattenedBody(step) }
    default:
        return task.continueWith(on: executor, name: name, cancellation: token, line: line) { _ in try body(step) }
    }
}

/// Joins tasks of numbers. The others among the inputs are continued first, by tasks without a number of their own.
func join(_ step: ChainPlan.Step) {
    let inputs = step.targets.compactMap { target -> ChainTask<Int>? in
        guard case .number(let task) = world[target] else { return nil }
        Book.shared.write("input \(step.id) \(target)")
        return task
    }
    let name = "t\(step.id)", line = UInt(step.id)
    switch step.operation {
    case .whenAllResults: world.add(.list(ChainTask.whenAllResults(inputs, name: name, line: line)), as: step.id)
    case .whenAny: world.add(.number(ChainTask.whenAny(inputs, name: name, line: line)), as: step.id)
    default: world.add(.void(ChainTask.whenAll(inputs, name: name, line: line)), as: step.id)
    }
}

func aws(_ step: ChainPlan.Step) -> AWSTask<AnyObject> {
    let tasks = step.targets.compactMap { target -> AWSTask<AnyObject>? in
        guard case .aws(let task) = world[target] else { return nil }
        return task
    }
    let name = "t\(step.id)", line = UInt(step.id)
    switch step.operation {
    case .awsOnSuccess: return tasks[0].continueOnSuccessWith(block: { _ in awsBody(step) }, name: name, line: line)
    case .awsAll, .awsAny:
        for target in step.targets { Book.shared.write("input \(step.id) \(target)") }
        return step.operation == .awsAll
            ? AWSTask(forCompletionOfAllTasks: tasks, name: name, line: line)
            : AWSTask(forCompletionOfAnyTask: tasks, name: name, line: line)
    default: return tasks[0].continueWith(block: { _ in awsBody(step) }, name: name, line: line)
    }
}

func fb(_ step: ChainPlan.Step) -> SwiftTask {
    guard case .fb(let task) = world[step.targets[0]] else { preconditionFailure("\(step)") }
    let name = "t\(step.id)", line = UInt(step.id)
    switch step.operation {
    case .fbAll:
        Book.shared.write("input \(step.id) \(step.targets[0])")
        return SwiftTask.taskForCompletionOfAllTasks([task], name: name, line: line)
    case .fbCompletion: return task.completionTaskWith({ _ in try fbBody(step) }, name: name, line: line)
    default: return task.dependentTaskWith({ _ in try fbBody(step) }, name: name, line: line)
    }
}

func alecrim(_ step: ChainPlan.Step) -> Node {
    let task = AlecrimTasks.async(name: "t\(step.id)", line: UInt(step.id)) { () throws -> Int in
        Book.shared.write("began \(step.id)")
        var error: (any Error)?
        if let target = step.targets.first, case .alecrim(let wait, _) = world[target] {
            do {
                _ = try wait()
            } catch let thrown {
                Book.shared.write("read \(step.id) \(target)")
                error = thrown
            }
        }
        try finish(step, error, of: step.targets.first ?? 0)
        return step.id
    }
    return .alecrim(await: { try AlecrimTasks.`await`(task) }, task.chainTask)
}

func set(_ step: ChainPlan.Step) {
    guard let source = world.sources.removeValue(forKey: step.targets[0]) else { return }
    let number = NSNumber(value: step.targets[0])
    switch (source, step.operation) {
    case (.core(let source), .setValue): source.set(step.targets[0])
    case (.core(let source), .setError): source.set(error: failure(step.error))
    case (.core(let source), _): source.setCancelled()
    case (.aws(let source), .setValue): source.set(result: number)
    case (.aws(let source), .setError): source.set(error: failure(step.error))
    case (.aws(let source), _): source.cancel()
    case (.fb(let source), .setValue): source.setResult(number)
    case (.fb(let source), .setError): source.setError(failure(step.error))
    case (.fb(let source), _): source.cancel()
    }
}

@main
struct ChainLedger {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let plan = try JSONDecoder().decode(ChainPlan.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
        for step in plan.steps { carryOut(step) }
        let swiftTasks = plan.steps.count { $0.operation == .swift }
        while world.nodes.withLock({ $0.values.contains { $0.state == "pending" } }) || Book.shared.ends < swiftTasks {
            await _Concurrency.Task.yield()
        }
        for step in plan.leftOpen { carryOut(step) }
        for (id, node) in world.nodes.withLock({ $0 }) {
            if case .swift = node { continue }
            Book.shared.write("ended \(id) \(node.state)")
        }
        // A Swift task writes its last line in its body: its end is still to come.
        waitForOtherThreads()
        try Book.shared.text.write(toFile: arguments[2], atomically: true, encoding: .utf8)
        exit(0)
    }
}
