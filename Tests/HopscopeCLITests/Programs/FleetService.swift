// A process of the fleet in Scripts/check-fleet. It loses errors, reads others, holds the main thread, and writes a ledger of what it did.
//
//   FleetService LEDGER LOST READ HELD BROUGHT
//
// The numbers: errors that nothing reads, errors that are read, jobs that wait while the main thread is held, and errors of the place
// that only the new version has. The ledger's times are nanoseconds of the monotonic clock.

import Foundation

struct CardDeclined: Error {}
struct StockUnknown: Error {}
struct NoSuchCustomer: Error {}

/// The tasks that fail run here, one at a time.
@globalActor
actor Desk {
    static let shared = Desk()

    /// The actor runs this after the tasks that came to it before.
    func turn() {}
}

/// The facts that the ledger has of one process.
struct Ledger: Encodable {
    struct Loss: Encodable {
        let site: String
        let error: String
        let count: Int
    }

    var lost: [Loss] = []
    var read = 0
    /// The jobs that were given to the main thread while it was held, and the least and the greatest sum of their waits.
    var held = 0
    var leastWait: UInt64 = 0
    var greatestWait: UInt64 = 0
}

@main
enum FleetService {
    /// The time for which the main thread is held, in microseconds.
    private static let hold: UInt32 = 400_000

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    static func main() async throws {
        let begin = now()
        let numbers = CommandLine.arguments.dropFirst(2).map { Int($0)! }
        var ledger = Ledger()

        for _ in 0..<numbers[0] { Task { @Desk in throw CardDeclined() } }
        ledger.lost.append(.init(site: "FleetService.swift:\(#line - 1)", error: "CardDeclined", count: numbers[0]))

        for _ in 0..<numbers[1] {
            let asked = Task { @Desk in throw StockUnknown() }
            do { try await asked.value } catch { ledger.read += 1 }
        }

        for _ in 0..<numbers[3] { Task { @Desk in throw NoSuchCustomer() } }
        ledger.lost.append(.init(site: "FleetService.swift:\(#line - 1)", error: "NoSuchCustomer", count: numbers[3]))

        if numbers[2] > 0 {
            ledger.held = numbers[2]
            let jobs = (0..<numbers[2]).map { _ in
                let asked = now()
                return Task { @MainActor in now() - asked }
            }
            let given = now()
            usleep(hold)
            ledger.leastWait = UInt64(jobs.count) * (now() - given)
            for job in jobs { ledger.greatestWait += await job.value }
        }

        await Desk.shared.turn()
        ledger.lost.removeAll { $0.count == 0 }
        // The async main itself has at most one job in the main thread's queue at a time.
        if numbers[2] > 0 { ledger.greatestWait += now() - begin }
        try JSONEncoder().encode(ledger).write(to: URL(fileURLWithPath: CommandLine.arguments[1]))
    }
}
