// A program without any reference to the probe. It creates tasks of every kind, counts their outcomes, and prints the counts.
//
//   stress [ROUNDS]

import Dispatch
import Synchronization

struct Refused: Error {}
struct Declined: Error { let amount: Int }

/// The program's own counts of its tasks.
enum Tally {
    static let created = Atomic<Int>(0)
    static let completed = Atomic<Int>(0)
    static let threw = Atomic<Int>(0)
    static let cancelled = Atomic<Int>(0)
    static let asked = Atomic<Int>(0)

    static func add(_ counter: borrowing Atomic<Int>, _ count: Int = 1) {
        counter.wrappingAdd(count, ordering: .relaxed)
    }
}

actor Account {
    private var balance = 0

    func deposit(_ amount: Int) -> Int {
        balance += amount
        return balance
    }

    func withdraw(_ amount: Int) throws -> Int {
        guard balance >= amount else { throw Declined(amount: amount) }
        balance -= amount
        return balance
    }

    /// Suspends in the middle.
    func depositSlowly(_ amount: Int) async -> Int {
        await Task.yield()
        balance += amount
        return balance
    }
}

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

actor Teller {
    private let line = LineExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }
    private var served = 0

    func serve() -> Int {
        served += 1
        return served
    }
}

@MainActor var screen = 0
@MainActor func show() { screen += 1 }

/// Runs the body of one task and counts its outcome.
func counted<Value>(_ body: () async throws -> Value) async throws -> Value {
    Tally.add(Tally.created)
    do {
        let value = try await body()
        Tally.add(Tally.completed)
        return value
    } catch is CancellationError {
        Tally.add(Tally.cancelled)
        throw CancellationError()
    } catch {
        Tally.add(Tally.threw)
        throw error
    }
}

func calmly<Value>(_ body: () async -> Value) async -> Value {
    Tally.add(Tally.created)
    let value = await body()
    Tally.add(Tally.completed)
    return value
}

func picky(_ number: Int) async throws(Refused) -> Int {
    await Task.yield()
    if number % 2 == 0 { throw Refused() }
    return number
}

/// Awaits a value that never comes, until the task is cancelled.
func forever() async throws {
    let (stream, source) = AsyncStream<Int>.makeStream()
    for await _ in stream {}
    _ = source
    try Task.checkCancellation()
}

func unstructured(_ account: Account) async {
    let plain = Task { await calmly { await account.deposit(1) } }
    let named = Task.detached(name: "audit") { try await counted { try await account.withdraw(1_000_000) } }
    let low = Task(priority: .low) { await calmly { await account.depositSlowly(2) } }
    let immediate = Task.immediate { await calmly { await account.deposit(3) } }
    let shown = Task { await calmly { await show() } }
    let typed = Task { try await counted { try await picky(4) } }
    _ = await (plain.value, named.result, low.value, immediate.value, shown.value, typed.result)
}

func asyncLets(_ account: Account, _ teller: Teller) async {
    async let one = calmly { await account.deposit(1) }
    async let two = counted { try await picky(2) }
    async let three = calmly { await teller.serve() }
    async let _ = calmly { 4 }
    _ = await (one, three)
    _ = try? await two
}

func groups(_ account: Account) async {
    await withTaskGroup(of: Int.self) { group in
        for number in 0..<4 { group.addTask { await calmly { await account.deposit(number) } } }
        for await _ in group {}
    }
    await withDiscardingTaskGroup { group in
        for _ in 0..<3 { group.addTask { await calmly { await Task.yield() } } }
    }
    _ = try? await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await counted { throw Refused() } }
        group.addTask { try await counted { try await forever() } }
        // The error leaves the group, which cancels its remaining children.
        Tally.add(Tally.asked)
        try await group.next()
        try await group.next()
    }
    try? await withThrowingDiscardingTaskGroup { group in
        // The group cancels all its children, including the one that threw.
        group.addTask { try await counted { throw Refused() } }
        Tally.add(Tally.asked)
    }
}

func continuations() async {
    let value = Task {
        await calmly {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: 1) }
            }
        }
    }
    let failure = Task {
        try await counted {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Int, any Error>) in
                DispatchQueue.global().async { continuation.resume(throwing: Refused()) }
            }
        }
    }
    _ = await (value.value, failure.result)
}

func streams() async {
    let (stream, source) = AsyncStream<Int>.makeStream()
    let reader = Task { await calmly { await stream.reduce(0, +) } }
    let writer = Task.detached {
        await calmly {
            for number in 0..<5 {
                source.yield(number)
                await Task.yield()
            }
            source.finish()
        }
    }
    _ = await (reader.value, writer.value)
}

func cancellations() async {
    let sleeper = Task.detached(name: "sleeper") { try await counted { try await forever() } }
    await Task.yield()
    sleeper.cancel()
    Tally.add(Tally.asked)
    _ = await sleeper.result
    let stubborn = Task { await calmly { while !Task.isCancelled { await Task.yield() } } }
    stubborn.cancel()
    Tally.add(Tally.asked)
    await stubborn.value
}

func executors(_ teller: Teller, _ crew: CrewExecutor) async {
    let member = Task(executorPreference: crew) { await calmly { await teller.serve() } }
    _ = await member.value
    await withTaskExecutorPreference(crew) { _ = await teller.serve() }
}

@main
struct Stress {
    static func main() async {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let account = Account()
        let teller = Teller()
        let crew = CrewExecutor()
        let width = 4
        await withDiscardingTaskGroup { group in
            for part in 0..<width {
                group.addTask {
                    await calmly {
                        for _ in 0..<(rounds + part) / width {
                            await unstructured(account)
                            await asyncLets(account, teller)
                            await groups(account)
                            await continuations()
                            await streams()
                            await cancellations()
                            await executors(teller, crew)
                        }
                    }
                }
            }
        }
        show()
        let counts = [
            ("created", Tally.created.load(ordering: .relaxed)), ("completed", Tally.completed.load(ordering: .relaxed)),
            ("threw", Tally.threw.load(ordering: .relaxed)), ("cancelled", Tally.cancelled.load(ordering: .relaxed)),
            ("asked", Tally.asked.load(ordering: .relaxed)),
        ]
        for (name, count) in counts { print(name, count) }
    }
}
