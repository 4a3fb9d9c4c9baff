// A program whose errors are handled, rethrown, and lost. It prints the number of each.
//
//   errors unread | unread-after-async-let | rethrown | typed | main

struct Refused: Error { var number: Int }
struct Declined: Error { var witness: Witness }
final class Reason: Error, Sendable {}

/// Resumes a continuation when the error that holds it is deinitialised.
final class Witness: Sendable {
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
    }

    deinit { continuation.resume() }
}

/// A task fails while nothing refers to it, so its error is deinitialised unread.
func loseError() async {
    await withUnsafeContinuation { continuation in
        let witness = Witness(continuation)
        Task.detached(name: "lost") { throw Declined(witness: witness) }
    }
}

func handleChildren(_ count: Int) async {
    for number in 0..<count {
        try? await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(name: "handled") { throw Refused(number: number) }
            try await group.waitForAll()
        }
    }
}

func handleAsyncLets(_ count: Int) async {
    for number in 0..<count {
        async let value: Int = { throw Refused(number: number) }()
        _ = try? await value
    }
}

/// Loses the errors of 20 tasks between errors that are handled.
func unread(withAsyncLets: Bool) async {
    for _ in 0..<20 {
        await handleChildren(5)
        if withAsyncLets { await handleAsyncLets(5) }
        await loseError()
        await handleChildren(5)
        if withAsyncLets { await handleAsyncLets(5) }
    }
    print("lost 20")
    print("handled", withAsyncLets ? 400 : 200)
}

@inline(never)
func open(_ reason: any Error) throws {
    throw reason  // first throw
}

@inline(never)
func load(_ reason: any Error) throws {
    do {
        try open(reason)
    } catch {
        throw error  // second throw
    }
}

/// One error is thrown three times in one task, and once more in the task that awaits it.
func rethrown() async {
    let inner = Task.detached(name: "inner") {
        do {
            try load(Reason())
        } catch {
            throw error  // third throw
        }
    }
    let outer = Task.detached(name: "outer") {
        do {
            try await inner.value
        } catch {
            throw error  // fourth throw
        }
    }
    _ = await outer.result
}

@inline(never)
func openTyped() throws(Refused) {
    throw Refused(number: 1)  // first typed throw
}

@inline(never)
func loadTyped() throws(Refused) {
    do {
        try openTyped()
    } catch {
        throw error  // second typed throw
    }
}

func typed() async {
    let task = Task.detached(name: "typed") { () async throws in try loadTyped() }
    _ = await task.result
    _ = await Task.detached(name: "boxed") { try rethrowBoxed() }.result
    _ = await Task.detached(name: "suspended") { try await rethrowAfterSuspension() }.result
    _ = await Task.detached(name: "later") { try throwLater() }.result
}

/// Puts the typed error into a box on its way out.
@inline(never)
func loadBoxed() throws {
    try loadTyped()
}

@inline(never)
func rethrowBoxed() throws {
    do {
        try loadBoxed()
    } catch {
        throw error  // boxed throw
    }
}

/// The error leaves a scope that waits for its child first.
@inline(never)
func rethrowAfterSuspension() async throws {
    do {
        async let _ = Task.sleep(for: .milliseconds(1))
        try loadTyped()
    } catch {
        throw error  // throw after a suspension
    }
}

/// Handles a typed error, then throws another one of its type.
@inline(never)
func throwLater() throws {
    try? loadTyped()
    throw Refused(number: 2)  // later throw
}

@main
struct Errors {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "unread": await unread(withAsyncLets: false)
        case "unread-after-async-let": await unread(withAsyncLets: true)
        case "rethrown": await rethrown()
        case "typed": await typed()
        case "main": throw Reason()  // throw of main
        default: print("Say which.")
        }
    }
}
