import Dispatch
import Foundation
import Glibc

/// Whether the program runs with its change: the arguments are the program's name, and `changed` or not.
let isChanged = CommandLine.arguments.contains("changed")

/// The milliseconds, or what the change makes of them.
func changed(_ milliseconds: Double, _ factor: Double) -> Double { isChanged ? milliseconds * factor : milliseconds }

func arrivals(every milliseconds: Double, count: Int = 100, _ make: @Sendable (Int) -> Task<Void, Never>) async {
    var tasks: [Task<Void, Never>] = []
    for number in 0..<count {
        tasks.append(make(number))
        try? await Task.sleep(nanoseconds: UInt64(milliseconds * 1_000_000))
    }
    for task in tasks { await task.value }
}

func work(_ milliseconds: Double) { usleep(UInt32(milliseconds * 1_000)) }

actor Store {
    func hold(_ milliseconds: Double) { work(milliseconds) }
}

/// An executor with so many threads.
final class Workers: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    init(_ width: Int) {
        for _ in 0..<width { Thread.detachNewThread { [self] in serve() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    private func serve() -> Never {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Lets a number of tasks in at once.
actor Gate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    init(_ free: Int) { self.free = free }
    func enter() async {
        if free > 0 {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
