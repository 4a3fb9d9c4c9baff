import Foundation
import TaskRuntime

/// *Hazard: actor reentrancy.* An actor checks for a value, awaits one and stores it. While it awaits, other calls check too. For
/// comparison, an actor that stores the task that makes the value before it awaits.
struct RecipesReentrancy: AsyncScenario {
    let name = "recipes-reentrancy"
    let summary = "Async Contexts, hazard actor reentrancy: three requests of a cache; 1 Tasks shows how often each cache makes its value"

    fileprivate static let requests = 3

    func run(on stage: Stage) async {
        let careless = CarelessCache(ValueMaker("careless", stage))
        await request("careless", stage) { try await careless.get() }
        let careful = CarefulCache(ValueMaker("careful", stage))
        await request("careful", stage) { try await careful.get() }
    }

    private func request(_ name: String, _ stage: Stage, _ get: @escaping @Sendable () async throws -> UInt64) async {
        let requests = (1...Self.requests).map { ChainTask(name: "\(name) get \($0)", operation: get) }
        if let values = try? await ChainTask.whenAllResults(requests, name: "\(name) gets").value {
            stage.say("\(name): \(values.count) values.")
        }
    }
}

/// Computes the value, after all requests have arrived.
private struct ValueMaker: Sendable {
    private let name: String
    private let stage: Stage
    private let allHaveAsked: TaskCompletionSource<Void>
    private let countdown: Countdown

    init(_ name: String, _ stage: Stage) {
        self.name = name
        self.stage = stage
        let allHaveAsked = TaskCompletionSource<Void>(name: "all have asked the \(name) cache")
        self.allHaveAsked = allHaveAsked
        countdown = Countdown(from: RecipesReentrancy.requests) { allHaveAsked.set(()) }
    }

    func noteRequest() {
        countdown.countDown()
    }

    func makeValue() -> ChainTask<UInt64> {
        ChainTask(name: "\(name) makeValue") {
            try await allHaveAsked.task.value
            await stage.pause(.milliseconds(900))
            return stage.hash(100_000, in: .zero)
        }
    }
}

private actor CarelessCache {
    private let maker: ValueMaker
    private var value: UInt64?

    init(_ maker: ValueMaker) {
        self.maker = maker
    }

    func get() async throws -> UInt64 {
        maker.noteRequest()
        if let value { return value }
        // Hazard: a call that arrives now finds no value either.
        let made = try await Task { try await maker.makeValue().value }.value
        value = made
        return made
    }
}

private actor CarefulCache {
    private let maker: ValueMaker
    private var making: Task<UInt64, any Error>?

    init(_ maker: ValueMaker) {
        self.maker = maker
    }

    func get() async throws -> UInt64 {
        maker.noteRequest()
        let task = making ?? Task { try await maker.makeValue().value }
        making = task
        return try await task.value
    }
}
