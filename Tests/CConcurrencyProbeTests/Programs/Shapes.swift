import Foundation

// Errors that are read, passed on, dropped and stored, one function for each shape. Each prints its origins and the errors that no code
// looks at: `origins 5`, `unread 2`.

struct Boom: Error {}
struct Bust: Error {}

func fail(after milliseconds: Int = 0) async throws -> Int {
    if milliseconds > 0 { await pause(milliseconds) }
    throw Boom()
}

func pause(_ milliseconds: Int) async {
    try? await Task.sleep(for: .milliseconds(milliseconds))
}

/// Keeps the thread busy, so that a child ends before its parent awaits it.
@inline(never) func spin(_ milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
}

func say(origins: Int, unread: Int) {
    print("origins \(origins)")
    print("unread \(unread)")
}

// MARK: async let

/// The child has failed before the parent awaits it. The parent is still running when the program ends.
func asyncLetThatHasEnded() async {
    Task {
        for _ in 0..<5 {
            async let value = fail()
            spin(15)
            do { _ = try await value } catch {}
        }
        await pause(60_000)
    }
    await pause(300)
    say(origins: 5, unread: 0)
}

func asyncLetThatIsLeft() async {
    for _ in 0..<5 {
        async let _ = fail()
        spin(5)
    }
    for _ in 0..<5 { async let _ = fail(after: 2) }
    say(origins: 10, unread: 10)
}

/// The scope ends by an error of its own.
func asyncLetThatIsThrownOver() async {
    for _ in 0..<5 {
        let task = Task {
            async let _ = fail(after: 2)
            throw Bust()
        }
        do { try await task.value } catch {}
    }
    say(origins: 10, unread: 5)
}

// MARK: Readers that go on

/// Each reader handles the error, and later fails for another reason.
func readerThatFailsLater() async {
    for _ in 0..<5 {
        let first = Task(name: "first") { try await fail() }
        let reader = Task(name: "reader") {
            do { _ = try await first.value } catch {}
            await pause(2)
            throw Bust()
        }
        await pause(10)
        withExtendedLifetime(reader) {}
    }
    say(origins: 10, unread: 5)
}

/// Each reader handles the error, and fails for another reason before it waits again. The trace shows what it shows of a transformation.
func readerThatFailsAtOnce() async {
    for number in 0..<10 {
        let first = Task(name: "first") { try await fail() }
        let reader = Task(name: "reader") {
            do { _ = try await first.value } catch {}
            throw Bust()
        }
        if number < 5 { _ = await reader.result } else { await pause(10) }
    }
    say(origins: 15, unread: 5)
}

func transformedOnce() async {
    for _ in 0..<5 {
        let inner = Task(name: "inner") { try await fail() }
        let outer = Task(name: "outer") { do { _ = try await inner.value } catch { throw Bust() } }
        do { try await outer.value } catch {}
    }
    say(origins: 5, unread: 0)
}

@MainActor func transformedOnMain() async {
    for _ in 0..<5 {
        let inner = Task.detached(name: "inner") { try await fail(after: 2) }
        let outer = Task(name: "outer") { @MainActor in do { _ = try await inner.value } catch { throw Bust() } }
        do { try await outer.value } catch {}
    }
    say(origins: 5, unread: 0)
}

// MARK: Waiters

/// Five tasks await one failed task and pass its error on unchanged. One of them is awaited.
func waiters() async {
    let failed = Task(name: "failed") { try await fail(after: 2) }
    let waiters = (0..<5).map { _ in Task(name: "waiter") { try await failed.value } }
    for waiter in waiters { _ = await waiter.result }
    say(origins: 1, unread: 0)
}

@MainActor func waitersOnMain() async {
    let failed = Task.detached(name: "failed") { try await fail(after: 5) }
    let waiters = (0..<5).map { number in
        Task { @MainActor in
            _ = try? await failed.value
            await pause(10 - 2 * number)
        }
    }
    for waiter in waiters { await waiter.value }
    say(origins: 1, unread: 0)
}

// MARK: Stored errors

let stored: any Error = Boom()

func storedError() async {
    for number in 0..<20 {
        let task = Task(name: "thrower") { throw stored }
        if number < 10 { _ = await task.result } else { await pause(2) }
    }
    say(origins: 20, unread: 10)
}

func cachedResult() async {
    let result = await Task(name: "first") { try await fail() }.result
    for _ in 0..<4 { _ = await Task(name: "getter") { try result.get() }.result }
    say(origins: 5, unread: 0)
}

// MARK: Groups

/// No task asks the group for a result.
func groupWithoutNext() async {
    for _ in 0..<5 {
        try? await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await fail(after: 2) }
            try Task.checkCancellation()
        }
    }
    say(origins: 5, unread: 5)
}

/// The child has failed when the body returns.
func groupThatHasFailedBefore() async {
    for _ in 0..<5 {
        await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await fail() }
            spin(15)
        }
    }
    say(origins: 5, unread: 5)
}

/// The child of the outer group fails while the scope of the inner group waits. The outer group takes the error later.
func groupWithinGroup() async {
    for _ in 0..<5 {
        await withThrowingTaskGroup(of: Int.self) { outer in
            outer.addTask { try await fail(after: 2) }
            await withThrowingTaskGroup(of: Void.self) { inner in
                inner.addTask { await pause(20) }
            }
            do { _ = try await outer.next() } catch {}
        }
    }
    say(origins: 5, unread: 0)
}

/// The group takes the first result, and drops the failure of the other child, which its cancellation ended.
func groupThatDropsTheSecond() async {
    for _ in 0..<5 {
        _ = try? await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { 1 }
            group.addTask { try await fail(after: 60_000) }
            defer { group.cancelAll() }
            return try await group.next()
        }
    }
    say(origins: 5, unread: 5)
}

/// The group rethrows its first failure, and the second one is lost.
func discardingGroup() async {
    for _ in 0..<5 {
        let task = Task {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { _ = try await fail(after: 2) }
                group.addTask {
                    await pause(1_000)
                    throw Bust()
                }
            }
        }
        _ = await task.result
    }
    say(origins: 10, unread: 5)
}

// MARK: Actors

/// Stores the task of each key before it awaits it.
actor ImageCache {
    private var images: [Int: Task<Int, Never>] = [:]

    func image(_ key: Int) async -> Int {
        if let image = images[key] { return await image.value }
        let image = Task {
            await pause(5)
            return key
        }
        images[key] = image
        return await image.value
    }
}

func imageCache() async {
    let cache = ImageCache()
    await withDiscardingTaskGroup { group in
        for number in 0..<20 { group.addTask { _ = await cache.image(number % 10) } }
    }
    say(origins: 0, unread: 0)
}

@main struct Shapes {
    static let all: [String: @Sendable () async -> Void] = [
        "async-let-ended": asyncLetThatHasEnded, "async-let-left": asyncLetThatIsLeft, "async-let-thrown-over": asyncLetThatIsThrownOver,
        "reader-fails-later": readerThatFailsLater, "reader-fails-at-once": readerThatFailsAtOnce,
        "transformed": transformedOnce, "transformed-on-main": transformedOnMain,
        "waiters": waiters, "waiters-on-main": waitersOnMain, "stored": storedError, "cached-result": cachedResult,
        "group-without-next": groupWithoutNext, "group-failed-before": groupThatHasFailedBefore, "group-within-group": groupWithinGroup,
        "group-drops-second": groupThatDropsTheSecond, "discarding-group": discardingGroup,
        "image-cache": imageCache,
    ]

    static func main() async { await all[CommandLine.arguments[1]]!() }
}
