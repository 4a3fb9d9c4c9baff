import Dispatch
import Foundation
import Glibc

/// Ten thousand requests, of which twenty are slow, each for a reason of its own. Prints each reason and the name of its request.
///
/// With the argument `lose`, the process that started the program is stopped during some of the slow requests, until the lanes have lost
/// records. These reasons are printed with a star.
@main
enum SlowRequests {
    static let seconds = 0.2
    static let healthy = 10_000

    static func main() async {
        let loses = CommandLine.arguments.contains("lose")
        var number = 0
        for (index, reason) in Reason.allCases.enumerated() {
            for _ in 0..<healthy / Reason.allCases.count / 2 {
                await pair(number)
                number += 2
            }
            let isLost = loses && index % 5 == 2
            print(reason.rawValue, number, isLost ? "*" : "")
            fflush(nil)
            if isLost { kill(getppid(), SIGSTOP) }
            await request(number, reason).value
            if isLost {
                await flood()
                kill(getppid(), SIGCONT)
                try? await Task.sleep(nanoseconds: 500_000_000)
            }
            number += 1
        }
    }

    private static func pair(_ number: Int) async {
        let one = request(number, nil)
        let other = request(number + 1, nil)
        await one.value
        await other.value
    }

    private static func request(_ number: Int, _ reason: Reason?) -> Task<Void, Never> {
        Task(name: "request \(number)") {
            await shared.read()
            async let page = parse(number)
            if let reason { await reason.happen() }
            _ = await page
        }
    }

    private static func parse(_ number: Int) async -> Int {
        spin(0.000_02)
        return number
    }

    /// More events than a lane keeps.
    private static func flood() async {
        for _ in 0..<100 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<1_000 { group.addTask { await shared.read() } }
            }
        }
    }

    private static let shared = Store()
}

enum Reason: String, CaseIterable {
    case spins, callsKernel, preempted, reads, locks, signals, waitsForCondition, naps, sleepsThread, queuesBehindWork
    case queuesBehindBlocked, queuesForMain, queuesForPool, sleeps, continues, awaitsSpinning, awaitsBlocked, awaitsGroup, awaitsQueued
    case resumedByTask

    func happen() async {
        let seconds = SlowRequests.seconds
        switch self {
        case .spins: spin(seconds)
        case .callsKernel: callKernel(seconds)
        case .preempted: losesProcessor(seconds)
        case .reads: readPipe(after: seconds)
        case .locks: HeldLock.hold(seconds).wait()
        case .signals: waitForSemaphore(seconds)
        case .waitsForCondition: waitForCondition(seconds)
        case .naps: usleep(UInt32(seconds * 1_000_000))
        case .sleepsThread: sleepThread(seconds)
        case .queuesBehindWork: await queue { spin(seconds) }
        case .queuesBehindBlocked: await queue { waitForSemaphore(seconds) }
        case .queuesForMain: await queueForMain(seconds)
        case .queuesForPool: await queueForPool(seconds)
        case .sleeps: try? await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
        case .continues: await continueLater(seconds)
        case .awaitsSpinning: await Task(name: "spinning child") { spin(seconds) }.value
        case .awaitsBlocked: await Task(name: "blocked child") { waitForSemaphore(seconds) }.value
        case .awaitsGroup: await waitForGroup(seconds)
        case .awaitsQueued: await Task(name: "queued child") { await queue { spin(seconds) } }.value
        case .resumedByTask: await resumeFromTask(seconds)
        }
    }
}

// MARK: Reasons

private nonisolated(unsafe) var passes = 0

func spin(_ seconds: Double) {
    let end = processorTime() + UInt64(seconds * 1_000_000_000)
    while processorTime() < end { for _ in 0..<1_000 { passes &+= 1 } }
}

func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
        usleep(UInt32(seconds * 1_000_000))
        body()
    }
}

private func callKernel(_ seconds: Double) {
    let file = open("/dev/zero", O_RDONLY)
    defer { close(file) }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { buffer.deallocate() }
    let end = processorTime() + UInt64(seconds * 1_000_000_000)
    while processorTime() < end { _ = read(file, buffer, 1 << 16) }
}

/// Nine threads want the same processor.
private func losesProcessor(_ seconds: Double) {
    let usual = Processors.pin()
    let spinners = Spinners(9)
    spin(seconds / 2)
    spinners.stop()
    Processors.restore(usual)
}

private func readPipe(after seconds: Double) {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let writer = ends[1]
    after(seconds) { _ = write(writer, "x", 1) }
    var byte: UInt8 = 0
    _ = read(ends[0], &byte, 1)
}

private func waitForSemaphore(_ seconds: Double) {
    let semaphore = DispatchSemaphore(value: 0)
    after(seconds) { semaphore.signal() }
    semaphore.wait()
}

private func waitForCondition(_ seconds: Double) {
    let condition = NSCondition()
    condition.lock()
    _ = condition.wait(until: Date() + seconds)
    condition.unlock()
}

private func sleepThread(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

private func queue(behind work: @escaping @Sendable () -> Void) async {
    let store = Store()
    let compacts = Task(name: "compact") { await store.compact(work) }
    while !store.isBusy { usleep(100) }
    await store.read()
    await compacts.value
}

private func queueForMain(_ seconds: Double) async {
    let busy = Flag()
    let draws = Task(name: "draw") { @MainActor in
        busy.set()
        spin(seconds)
    }
    while !busy.isSet { usleep(100) }
    await MainActor.run { spin(0.000_01) }
    await draws.value
}

/// Blocked tasks hold all threads of the pool.
private func queueForPool(_ seconds: Double) async {
    let count = ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<count { Task(name: "hog") { usleep(UInt32(seconds * 1_000_000)) } }
    // All hogs have begun once this child runs, because the pool is served in order.
    await Task(name: "late child") { spin(0.000_01) }.value
}

private func continueLater(_ seconds: Double) async {
    await withCheckedContinuation { continuation in after(seconds) { continuation.resume() } }
}

private func waitForGroup(_ seconds: Double) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask { spin(0.000_01) }
        group.addTask { spin(seconds) }
    }
}

private func resumeFromTask(_ seconds: Double) async {
    await withCheckedContinuation { continuation in
        Task(name: "resumer") {
            spin(seconds)
            continuation.resume()
        }
    }
}

// MARK: Parts of them

actor Store {
    private let busy = Flag()

    nonisolated var isBusy: Bool { busy.isSet }

    func compact(_ work: @Sendable () -> Void) {
        busy.set()
        work()
    }

    func read() {}
}

final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
