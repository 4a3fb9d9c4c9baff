import Dispatch
import Hopscope
import TaskEvents
import Testing

/// A small program of chains with a bug that needs one order of its jobs, and its healthy twin.
struct PlantedBug: Sendable, CustomTestStringConvertible {
    let name: String
    /// Runs the program; throws if it went wrong.
    let run: @Sendable (_ isHealthy: Bool) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (_ isHealthy: Bool) async throws -> Void) {
        self.name = name
        self.run = run
    }

    var testDescription: String { name }

    static let all = messages + state + cancellations + resources
}

/// What a program found wrong with itself.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

func must(_ isRight: Bool, _ words: @autoclosure () -> String) throws {
    if !isRight { throw Wrong(words()) }
}

/// A value behind a lock.
final class Box<Value: Sendable>: Sendable {
    private let content: Guarded<Value>

    init(_ value: Value) { content = Guarded(value) }

    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result { content.withLock { body(&$0) } }
}

/// Work elsewhere that takes so many jobs.
func elsewhere(_ jobs: Int) -> ChainTask<Void> {
    let queue = serial("elsewhere")
    return (1...jobs).reduce(ChainTask(())) { last, number in last.continueWith(on: queue, name: "elsewhere \(number)") { _ in } }
}

/// A new executor over a serial queue.
func serial(_ name: String) -> ChainExecutor { .queue(DispatchQueue(label: name)) }
