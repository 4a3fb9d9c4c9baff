/// An object whose class is an actor class.
struct ActorCandidate {
    let address: UInt64
    let metadata: UInt64
    let kind: TypeNames.ActorKind
}

/// An actor of another process.
package struct RemoteActor: Sendable {
    package enum State: String, Sendable {
        case idle, scheduled, running
        /// The program has released the actor, and the runtime frees it after its last job.
        case finished
        /// The actor has a custom executor, which is not in the object.
        case unknown
        /// The actor changed during every attempt to read it, or its queue is damaged.
        case changing
    }

    package let address: UInt64
    /// The name of the actor's class, with its module.
    package let type: String
    package internal(set) var state: State
    /// The address of the task that runs on the actor, if a thread shows it.
    package internal(set) var running: UInt64?
    /// The addresses of the tasks in its queue in the order in which they will run.
    package internal(set) var queue: [UInt64] = []
}

/// Reads actors. An actor keeps the newest jobs in a separate list, the last one first.
///
/// A queue in damaged memory may lead back to itself, or into another actor's queue. So all queues of a snapshot together take a bounded
/// number of steps. A queue that is a circle or comes after the last step is not shown, and its actor is ``RemoteActor/State/changing``.
struct ActorReading {
    let runtime: ConcurrencyRuntime
    let reader: RemoteReader
    let types: TypeNames

    private static let attempts = 4
    /// The number of jobs that may still be read.
    private var stepsLeft: Int
    private let allSteps: Int
    /// The number of jobs read so far.
    var steps: Int { allSteps - stepsLeft }

    /// `tasks` is the number of tasks in the process. Most jobs are tasks.
    init(runtime: ConcurrencyRuntime, reader: RemoteReader, types: TypeNames, tasks: Int) {
        (self.runtime, self.reader, self.types) = (runtime, reader, types)
        allSteps = (1 << 20) + 4 * Self.attempts * tasks
        stepsLeft = allSteps
    }

    /// Nil if no actor is at that address.
    mutating func actor(_ candidate: ActorCandidate) -> RemoteActor? {
        guard let type = types.name(candidate.metadata) else { return nil }
        var actor = RemoteActor(address: candidate.address, type: type, state: .unknown)
        guard candidate.kind == .standard else { return actor }
        for _ in 0..<Self.attempts {
            reader.forget()
            guard let before = words(candidate.address), before[0] == candidate.metadata else { return nil }
            guard let state = state(before) else { return nil }
            let queue = jobs(before)
            reader.forget()
            guard let after = words(candidate.address) else { return nil }
            if before == after {
                guard let queue else { break }
                (actor.state, actor.queue) = (state, queue)
                return actor
            }
        }
        actor.state = .changing
        return actor
    }

    /// The words of an actor that change with its queue and its state.
    private func words(_ address: UInt64) -> [UInt64]? {
        reader.words(address, count: runtime.layout.actorSize / 8)
    }

    private func state(_ words: [UInt64]) -> RemoteActor.State? {
        guard words[runtime.layout.actorIsRemote / 8] & 0xff <= 1 else { return nil }
        switch words[runtime.layout.actorFlags / 8] & 7 {
        case 0: return .idle
        case 1: return .scheduled
        case 2: return .running
        case 3: return .finished
        case _: return nil
        }
    }

    /// The jobs in the order in which they will run: higher priorities first, and among equal ones the earlier job first.
    ///
    /// Nil for a queue that leads back to itself or is too long.
    private mutating func jobs(_ words: [UInt64]) -> [UInt64]? {
        guard let sorted = list(words[runtime.layout.actorQueue / 8]), let incoming = list(words[runtime.layout.actorIncoming / 8]) else {
            return nil
        }
        guard !incoming.isEmpty else { return sorted }
        let all = sorted + incoming.reversed()
        let levels = all.map(level)
        return all.indices.sorted { (levels[$0], $0) < (levels[$1], $1) }.map { all[$0] }
    }

    private mutating func list(_ first: UInt64) -> [UInt64]? {
        var jobs: [UInt64] = []
        var job = first & ~7
        var circle = CircleCheck(job)
        while job != 0 {
            guard stepsLeft > 0 else { return nil }
            stepsLeft -= 1
            jobs.append(job)
            job = (reader.word(job &+ UInt64(runtime.layout.nextInQueue)) ?? 0) & ~7
            if job != 0, circle.closes(at: job) { return nil }
        }
        return jobs
    }

    /// The level of a job's priority in the actor's queue. 0 is the highest.
    private func level(_ job: UInt64) -> Int {
        switch (reader.half(job &+ UInt64(runtime.layout.jobFlags)) ?? 0) >> 8 & 0xff {
        case 0x21...: 0
        case 0x19...: 1
        case 0x15...: 2
        case 0x11...: 3
        case 0x09...: 4
        case _: 5
        }
    }
}
