import Foundation

@testable import TaskEvents

extension EventBus {
    /// A bus with small limits.
    static func small(
        time: EventClock = .virtual, laneLimit: UInt32 = 64, laneCapacity: UInt32 = 1023, entryLimit: UInt32 = 4096,
        entryBytes: UInt32 = 1 << 20
    ) throws -> EventBus {
        try EventBus(
            .init(
                time: time, laneLimit: laneLimit, laneCapacity: laneCapacity, entryLimit: entryLimit, entryBytes: entryBytes,
                program: "test"))
    }

    /// A lane's records from its beginning, and the number that are lost.
    func all(lane: UInt32) -> (events: [TaskEvent], lost: UInt64) {
        var next: UInt64 = 0, events: [TaskEvent] = [], lost: UInt64 = 0
        var before: UInt64 = .max
        while next != before {
            before = next
            lost += read(lane: lane, from: &next, into: &events, limit: 300)
        }
        return (events, lost)
    }

    /// The lane of the thread that emitted this task's events.
    func lane(of task: TaskID) -> UInt32? {
        (0..<laneCount).first { lane in all(lane: lane).events.contains { $0.task == task } }
    }

    var entries: EntryTable {
        var table = EntryTable()
        copyEntries(to: &table)
        return table
    }
}

/// Calls `body` on a new thread and returns after the thread has ended with all its cleanup.
func onThread(_ body: @escaping @Sendable () -> Void) {
    join(startThread(body))
}

/// Calls `bodies` on threads that run at the same time.
func onThreads(_ bodies: [@Sendable () -> Void]) {
    for thread in bodies.map(startThread) { join(thread) }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { body in
            Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
            return nil
        }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "the thread could not be made")
    return thread
}

private func join(_ thread: pthread_t) {
    pthread_join(thread, nil)
}

/// Task ids that no other suite uses.
func task(_ number: UInt64) -> TaskID { TaskID(rawValue: 1 << 50 + number) }
