// Carries out a plan with Swift Concurrency's own constructs and writes a ledger of its work. It does not refer to the probe.
//
//   ledger PLAN LEDGER

import Dispatch
import Foundation
import Synchronization

struct FirstFailure: Error { let id: Int }
struct SecondFailure: Error { let id: Int }

/// One box, which many tasks throw.
let storedFailure: any Error = FirstFailure(id: NativePlan.storedError)

// MARK: - The program's end

/// Detects the end of the last unstructured task: each task holds this object as a task-local value until it has ended.
final class Presence: Sendable {
    private struct State {
        var count = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private static let state = Mutex(State())
    @TaskLocal static var current: Presence?

    init() { Self.state.withLock { $0.count += 1 } }

    deinit {
        let waiting = Self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    static func waitForNone() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting = continuation }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}

// MARK: - Executors

final class LineExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "line")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

final class CrewExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "crew", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

protocol Workplace: Actor {}

extension Workplace {
    func work(_ steps: [NativePlan.Step], by task: Int, on executor: String) { perform(steps, by: task, on: executor) }
}

actor Account: Workplace {}
actor Store: Workplace {}
actor Teller: Workplace {
    private let line = LineExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }
}

/// Stores the task of each key before it awaits it.
actor ImageCache {
    private var images: [Int: (id: Int, task: Handle)] = [:]

    func value(of step: NativePlan.Step, by task: Int) async {
        if images[step.number] == nil {
            Book.shared.write("made \(step.id) detached \(task) global \(#line + 2)")
            let presence = Presence()
            let image = Task.detached(name: "t\(step.id)") {
                try await Presence.$current.withValue(presence) { try await run(step.id, [NativePlan.Step(.sleep)], on: "global") }
            }
            images[step.number] = (step.id, image)
        }
        guard let image = images[step.number] else { return }
        Book.shared.write("awaits \(task) \(image.id)")
        _ = try? await image.task.value
    }
}

let imageCache = ImageCache()

let workplaces: [(any Workplace, String)] = [(Account(), "Account"), (Store(), "Store"), (Teller(), "LineExecutor"), (Store(), "Store#2")]
let crew = CrewExecutor()

/// Occupies the thread for the times of the steps.
func perform(_ steps: [NativePlan.Step], by task: Int, on executor: String) {
    for step in steps {
        let start = now()
        while now() - start < UInt64(step.number) * 1000 {}
        Book.shared.write("work \(task) \(executor) \(now() - start)")
    }
}

// MARK: - Tasks

typealias Handle = Task<Int, any Error>

let handles = Mutex<[Int: Handle]>([:])

func number(of error: any Error) -> Int {
    switch error {
    case let error as FirstFailure: error.id
    case let error as SecondFailure: error.id
    case is CancellationError: -1
    default: -2
    }
}

func end(of error: any Error) -> String {
    error is CancellationError ? "cancelled -1" : "faulted \(number(of: error))"
}

/// The body of task `id`, which `parent` created.
func run(_ id: Int, _ steps: [NativePlan.Step], on executor: String) async throws -> Int {
    Book.shared.write("began \(id)")
    do {
        try await execute(steps, by: id, on: executor)
        Book.shared.write("flag \(id) \(Task.isCancelled)")
        Book.shared.write("ended \(id) succeeded 0")
        return id
    } catch {
        Book.shared.write("flag \(id) \(Task.isCancelled)")
        Book.shared.write("ended \(id) \(end(of: error))")
        throw error
    }
}

/// Makes the error that the caller throws at `line`.
func make(_ error: Int, _ type: Int, by task: Int, line: Int = #line) -> any Error {
    Book.shared.write("threw \(task) \(error) \(line)")
    return type == 0 ? FirstFailure(id: error) : SecondFailure(id: error)
}

func failTyped(_ step: NativePlan.Step, by task: Int) async throws(SecondFailure) {
    await Task.yield()
    Book.shared.write("threw \(task) \(step.id) \(#line + 1)")
    throw SecondFailure(id: step.id)
}

/// Handles the error of `source` as the step says.
func take(_ error: any Error, _ step: NativePlan.Step, from source: Int, by task: Int) throws {
    Book.shared.write("read \(task) \(source) \(number(of: error)) \(step.reading)")
    switch step.reading {
    case .forwards: throw error
    case .transforms: throw make(step.error, 0, by: task)
    case .takesFirst: throw error
    case .ignores, .leaves, .handles, .result: break
    }
}

func execute(_ steps: [NativePlan.Step], by task: Int, on executor: String) async throws {
    for step in steps { try await execute(step, by: task, on: executor) }
}

func execute(_ step: NativePlan.Step, by task: Int, on executor: String) async throws {
    switch step.operation {
    case .work: perform([step], by: task, on: executor)
    case .yield: await Task.yield()
    case .fail: throw make(step.id, step.number, by: task)
    case .failTyped: try await failTyped(step, by: task)
    case .failStored:
        Book.shared.write("threw \(task) \(NativePlan.storedError) \(#line + 1)")
        throw storedFailure
    case .checkCancellation: try Task.checkCancellation()
    case .sleep: try await Task.sleep(for: .milliseconds(1))
    case .onActor:
        let (place, name) = workplaces[step.number]
        await place.work(step.steps, by: task, on: name)
    case .onMain: await MainActor.run { perform(step.steps, by: task, on: "main") }
    case .withPreference: try await withTaskExecutorPreference(crew) { try await execute(step.steps, by: task, on: "CrewExecutor") }
    case .continuation: try await resume(step, by: task)
    case .unstructured, .detached, .immediate, .preferring: spawn(step, by: task)
    case .await: try await readValue(step, by: task)
    case .cancel:
        guard let handle = handles.withLock({ $0[step.target] }) else { return }
        Book.shared.write("asked \(step.target) \(task) \(#line + 1)")
        handle.cancel()
    case .asyncLet: try await asyncLet(step, by: task, on: executor)
    case .cached: await imageCache.value(of: step, by: task)
    case .waitersOnMain: makeWaitersOnMain(step, by: task)
    case .group, .throwingGroup, .discardingGroup, .throwingDiscardingGroup: try await group(step, by: task, on: executor)
    case .child: break
    case .part: await part(step, by: task, on: executor)
    }
}

/// Runs the part as the main function of a program.
func part(_ step: NativePlan.Step, by task: Int, on executor: String) async {
    do {
        try await execute(step.steps, by: task, on: executor)
    } catch {
        Book.shared.write("read \(task) \(task) \(number(of: error)) handles")
    }
    leaveOpen(from: step.id)
}

func resume(_ step: NativePlan.Step, by task: Int) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        DispatchQueue.global().async {
            guard step.id != 0 else { return continuation.resume() }
            continuation.resume(throwing: make(step.id, 0, by: task, line: 0))
        }
    }
}

func readValue(_ step: NativePlan.Step, by task: Int) async throws {
    guard let handle = handles.withLock({ $0[step.target] }) else { return }
    Book.shared.write("awaits \(task) \(step.target)")
    if step.reading == .result {
        if case .failure(let error) = await handle.result { try take(error, step, from: step.target, by: task) }
    } else {
        do { _ = try await handle.value } catch { try take(error, step, from: step.target, by: task) }
    }
}

func spawn(_ step: NativePlan.Step, by task: Int) {
    let name = "t\(step.id)"
    Presence.$current.withValue(Presence()) {
        let handle: Handle
        switch step.operation {
        case .detached:
            // A detached task inherits no task-local values.
            let presence = Presence.current
            Book.shared.write("made \(step.id) detached \(task) global \(#line + 1)")
            handle = Task.detached(name: name) {
                try await Presence.$current.withValue(presence) { try await run(step.id, step.steps, on: "global") }
            }
        case .immediate:
            Book.shared.write("made \(step.id) immediate \(task) global \(#line + 1)")
            handle = Task.immediate(name: name) { try await run(step.id, step.steps, on: "?") }
        case .preferring:
            Book.shared.write("made \(step.id) unstructured \(task) CrewExecutor \(#line + 1)")
            handle = Task(name: name, executorPreference: crew) { try await run(step.id, step.steps, on: "CrewExecutor") }
        default:
            Book.shared.write("made \(step.id) unstructured \(task) global \(#line + 1)")
            handle = Task(name: name) { try await run(step.id, step.steps, on: "global") }
        }
        handles.withLock { $0[step.id] = handle }
    }
}

/// A healthy fan-out: the tasks return to main in any order.
func makeWaitersOnMain(_ step: NativePlan.Step, by task: Int) {
    var source = NativePlan.Step(.unstructured)
    source.id = step.id
    source.steps = [NativePlan.Step(.sleep)]
    spawn(source, by: task)
    guard let handle = handles.withLock({ $0[step.id] }) else { return }
    for id in step.id + 1...step.id + NativePlan.mainWaiters {
        Presence.$current.withValue(Presence()) {
            Book.shared.write("made \(id) unstructured \(task) main \(#line + 1)")
            Task(name: "t\(id)") { @MainActor in
                Book.shared.write("began \(id)")
                Book.shared.write("awaits \(id) \(step.id)")
                _ = try? await handle.value
                perform(step.steps, by: id, on: "main")
                Book.shared.write("ended \(id) succeeded 0")
            }
        }
    }
}

func asyncLet(_ step: NativePlan.Step, by task: Int, on executor: String) async throws {
    Book.shared.write("made \(step.id) async-let \(task) \(executor) \(#line + 1)")
    async let value = run(step.id, step.steps, on: executor)
    try await execute(step.rest, by: task, on: executor)
    guard step.reading != .leaves else { return }
    Book.shared.write("awaits \(task) \(step.id)")
    do { _ = try await value } catch { try take(error, step, from: step.id, by: task) }
}

func group(_ step: NativePlan.Step, by task: Int, on executor: String) async throws {
    func make(_ child: NativePlan.Step, line: Int) {
        Book.shared.write("made \(child.id) group-child \(task) \(executor) \(line)")
    }
    switch step.operation {
    case .group:
        await withTaskGroup(of: Int.self) { group in
            for child in step.steps {
                make(child, line: #line + 1)
                group.addTask(name: "t\(child.id)") { await calmly(child, on: executor) }
            }
            for await id in group { Book.shared.write("took \(task) \(id)") }
        }
    case .discardingGroup:
        await withDiscardingTaskGroup { group in
            for child in step.steps {
                make(child, line: #line + 1)
                group.addTask(name: "t\(child.id)") { _ = await calmly(child, on: executor) }
            }
        }
    case .throwingDiscardingGroup:
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for child in step.steps {
                    make(child, line: #line + 1)
                    group.addTask(name: "t\(child.id)") { _ = try await run(child.id, child.steps, on: executor) }
                }
            }
        } catch {
            try take(error, step, from: -1, by: task)
        }
    default:
        try await withThrowingTaskGroup(of: Int.self) { group in
            for child in step.steps {
                make(child, line: #line + 1)
                group.addTask(name: "t\(child.id)") { try await run(child.id, child.steps, on: executor) }
            }
            guard step.reading != .leaves else { return }
            // Awaits every child, until an error leaves the group.
            while let result = await group.nextResult() {
                switch result {
                case .success(let id): Book.shared.write("took \(task) \(id)")
                case .failure(let error): try take(error, step, from: -1, by: task)
                }
                if step.reading == .takesFirst { return }
            }
        }
    }
}

/// A child that cannot fail, because it handles its own errors.
func calmly(_ child: NativePlan.Step, on executor: String) async -> Int {
    Book.shared.write("began \(child.id)")
    try? await execute(child.steps, by: child.id, on: executor)
    Book.shared.write("flag \(child.id) \(Task.isCancelled)")
    Book.shared.write("ended \(child.id) succeeded 0")
    return child.id
}

// MARK: - Tasks that never end

/// Keeps its jobs and never runs them.
final class ClosedExecutor: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    var count: Int { jobs.withLock { $0.count } }
}

actor Vault {
    private let executor: ClosedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: ClosedExecutor) { self.executor = executor }

    func enter() {}
}

let closed = ClosedExecutor()
let vault = Vault(closed)

/// Makes a task that waits for a continuation, one that awaits the first, one that awaits a group, one that sleeps, and one that waits for
/// its turn on an executor.
func leaveOpen(from first: Int) {
    let (waiting, awaiting, gathering, sleeping, queued) = (first, first + 1, first + 2, first + 4, first + 5)
    Book.shared.write("made \(waiting) unstructured 0 global \(#line + 1)")
    let task = Task(name: "t\(waiting)") { await stay(waiting) }
    Book.shared.write("made \(awaiting) unstructured 0 global \(#line + 1)")
    _ = Task(name: "t\(awaiting)") {
        Book.shared.write("began \(awaiting)")
        Book.shared.write("awaits \(awaiting) \(waiting)")
        Book.shared.write("stays \(awaiting) task \(waiting)")
        await task.value
    }
    Book.shared.write("made \(gathering) unstructured 0 global \(#line + 1)")
    _ = Task(name: "t\(gathering)") {
        Book.shared.write("began \(gathering)")
        await withTaskGroup(of: Void.self) { group in
            Book.shared.write("made \(gathering + 1) group-child \(gathering) global \(#line + 1)")
            group.addTask(name: "t\(gathering + 1)") { await stay(gathering + 1) }
            Book.shared.write("stays \(gathering) group 0")
        }
    }
    Book.shared.write("made \(sleeping) unstructured 0 global \(#line + 1)")
    _ = Task(name: "t\(sleeping)") {
        Book.shared.write("began \(sleeping)")
        Book.shared.write("stays \(sleeping) timer 0")
        try await Task.sleep(for: .seconds(100_000))
    }
    Book.shared.write("made \(queued) unstructured 0 ClosedExecutor \(#line + 1)")
    _ = Task(name: "t\(queued)") {
        Book.shared.write("began \(queued)")
        Book.shared.write("stays \(queued) executor 0")
        await vault.enter()
    }
}

func stay(_ task: Int) async {
    Book.shared.write("began \(task)")
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in Book.shared.write("stays \(task) continuation 0") }
}

@main
struct Ledger {
    private static var beginning: NativePlan.Step {
        var step = NativePlan.Step(.work)
        step.number = 3000
        return step
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        let plan = try JSONDecoder().decode(NativePlan.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
        let began = now()
        // The beginning of an asynchronous main is a job of the main executor.
        perform([beginning], by: 0, on: "main")
        try await execute(plan.steps, by: 0, on: "global")
        handles.withLock { $0 = [:] }
        await Presence.waitForNone()
        let parts = plan.steps.count { $0.operation == .part }
        while Book.shared.count(of: "stays") < parts * NativePlan.partIDs || closed.count < parts { await Task.yield() }
        // A detached task gives its presence up in its body: its end is still to come. Those that stay are about to suspend.
        waitForOtherThreads()
        Book.shared.write("wall \(now() - began)")
        try Book.shared.text.write(toFile: arguments[2], atomically: true, encoding: .utf8)
    }
}
