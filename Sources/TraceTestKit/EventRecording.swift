import TaskEvents

/// The events that a part of a test emitted, sorted by time, with the table of their names.
///
/// Recording affects the whole process: recordings wait for one another, and other tests emit into them. A recording therefore keeps only
/// the tasks created in the calling file, which is enough if that file's tests run one at a time (`.serialized`).
package struct EventRecording: Sendable {
    package let events: [TaskEvent]
    package let entries: EntryTable
    private let names: [TaskID: String]

    /// Records `body`. `file` is the source file whose tasks are kept.
    package nonisolated(nonsending) static func of(
        _ time: EventClock = .fastest, fileID: StaticString = #fileID, _ body: (EventBus) async throws -> Void
    ) async throws -> EventRecording {
        try await alone {
            let bus = try EventBus(.init(time: time, entryLimit: 16_384, entryBytes: 4 << 20, program: "test"))
            bus.start()
            defer { bus.stop() }
            try await body(bus)
            bus.stop()
            return EventRecording(of: bus, fileID: "\(fileID)")
        }
    }

    /// Runs `body` while no other test records.
    package nonisolated(nonsending) static func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await Turnstile.shared.enter()
        defer { Turnstile.shared.leave() }
        return try await body()
    }

    private init(of bus: EventBus, fileID: String) {
        var entries = EntryTable()
        bus.copyEntries(to: &entries)
        var all: [TaskEvent] = []
        for lane in 0..<bus.laneCount {
            var next: UInt64 = 0
            _ = bus.read(lane: lane, from: &next, into: &all, limit: Int(bus.laneCapacity))
        }
        var names: [TaskID: String] = [:]
        for event in all where event.kind == .created {
            if let label = entries.label(event.label), label.file == fileID { names[event.task] = label.name }
        }
        self.entries = entries
        self.names = names
        // Events of one time keep their order within a lane.
        events = all.enumerated()
            .filter { names[$0.element.task] != nil || $0.element.task == .none && $0.element.kind != .thread }
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    // MARK: As text

    /// The events of tasks, one a line: the kind, the task, and the fields of this kind.
    package var lines: [String] {
        events.filter { $0.task != .none }.map(line)
    }

    /// The lines of one task.
    package func lines(of name: String) -> [String] {
        events.filter { names[$0.task] == name }.map(line)
    }

    /// The lines of these kinds.
    package func lines(_ kinds: EventKind...) -> [String] {
        events.filter { $0.task != .none && kinds.contains($0.kind ?? .lost) }.map(line)
    }

    /// The events of an executor's jobs that belong to no task.
    package func linesOfJobs(on executor: String) -> [String] {
        events.filter { $0.task == .none && name(of: $0.executor) == executor }.map(line)
    }

    /// The names and call sites of the tasks, in order of creation.
    package var labels: [Label] {
        events.filter { $0.kind == .created }.compactMap { entries.label($0.label) }
    }

    private func name(of task: TaskID) -> String {
        task == .none ? "-" : names[task] ?? "?"
    }

    private func name(of executor: ExecutorID) -> String {
        executor == .none ? "-" : entries.executor(executor)?.name ?? "?"
    }

    private func line(_ event: TaskEvent) -> String {
        guard let kind = event.kind else { return "?" }
        return "\(kind) \(name(of: event.task))\(fields(of: event, kind))"
    }

    private func fields(of event: TaskEvent, _ kind: EventKind) -> String {
        let executor = name(of: event.executor)
        let other = name(of: event.otherTask)
        let detail = event.detail
        switch kind {
        case .created: return " \(TaskKind(rawValue: detail)?.name ?? "?") on \(executor) after \(other)"
        case .adopted: return " \(TaskKind(rawValue: detail)?.name ?? "?") of \(other)"
        case .antecedent: return " \(word(AntecedentRole(rawValue: detail))) \(other)"
        case .enqueued, .jobEnded, .held, .stepped: return " on \(executor)"
        case .started: return " on \(executor) \(word(StartManner(rawValue: detail)))"
        case .suspended:
            let condition = event.label == .none ? "" : " for \(site(event.label))"
            return " \(word(SuspensionReason(rawValue: detail))) \(other)\(condition)"
        case .hopped:
            let from = name(of: ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other)))
            return " from \(from) to \(executor) \(word(HopManner(rawValue: detail)))"
        case .skipped: return " after \(other)"
        case .completed: return event.label == .none ? "" : " by \(site(event.label))"
        case .faulted:
            return " \(word(FaultManner(rawValue: detail))) \(entries.error(event.label)?.message ?? "?") from \(other)"
        case .cancelled: return " \(word(CancellationManner(rawValue: detail))) from \(other)"
        case .errorRead, .waitBegan: return " by \(other)"
        case .cancellationAsked:
            let manner = detail == 0 ? "" : " \(word(CancellationRequest(rawValue: detail)))"
            return "\(manner) by \(other)"
        case .waitEnded: return " by \(other)\(detail == 1 ? " in vain" : "")"
        case .condition: return " \(site(event.label)) \(word(ConditionResult(rawValue: detail)))"
        case .completedTwice: return " \(detail == 1 ? "trapped" : "tried") by \(site(event.label))"
        case .thread, .lost, .memory: return " \(event.other)"
        case .mark: return "\(detail == MarkManner.name.rawValue ? " name" : "") \(entries.text(event.label))"
        case .shielded: return " \(word(ShieldManner(rawValue: detail)))"
        case .released: return detail == 0 ? "" : " dropped by \(other)"
        case .resumed, .cancellationSeen: return ""
        case .choice: return " \(event.choiceNumber) \(word(ChoiceManner(rawValue: detail)))"
        }
    }

    private func word(_ value: (some Any)?) -> String {
        value.map { "\($0)" } ?? "?"
    }

    private func site(_ label: EntryID) -> String {
        entries.label(label)?.name ?? "?"
    }
}

/// Admits one caller at a time, in the order of arrival; waiting blocks no thread.
private final class Turnstile: Sendable {
    static let shared = Turnstile()

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func enter() async {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(turn)
                return false
            }
            if isFree { turn.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
