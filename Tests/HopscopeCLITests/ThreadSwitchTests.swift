import Foundation
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import HopscopeCLI

/// The records of a profile's switches, which end where they would slow the program down.
@Suite(
    .timeLimit(.minutes(3)), .enabled(if: (ProfileRefusal.ofThisProcess(hertz: 99)?.error ?? 0) == 0, "the kernel refuses profiles"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "there is no Python"))
struct ThreadSwitchTests {
    /// Profiles a Python program that runs already.
    private static func profiled(_ script: String, _ rates: ProfileRates, _ use: (Int32, ProcessProfile) throws -> Void) throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        program.arguments = ["-c", script]
        try program.run()
        let pid = program.processIdentifier
        defer {
            kill(pid, SIGKILL)
            program.waitUntilExit()
        }
        try use(pid, try ProcessProfile(of: pid, rates))
    }

    @Test("Too many switches end them; the samples go on")
    func tooMany() throws {
        let restless = "import time\nwhile True: time.sleep(0.000001)"
        try Self.profiled(restless, ProfileRates(hertz: 999, switches: 100)) { pid, profile in
            var records: [ProcessProfile.Record] = []
            var end: ProcessProfile.Record?
            let goesOn = eventuallyBlocking {
                let new = profile.take(of: pid, lossesFrom: 0)
                records += new.records
                end = new.losses.first { $0.kind == ThreadProfile.Kind.unswitched.rawValue }
                guard let end else { return false }
                return records.count { $0.kind == ThreadProfile.Kind.sample.rawValue && $0.time > end.time } >= 20
            }
            #expect(goesOn)
            let time = try #require(end)
            let switches = records.filter { $0.kind != ThreadProfile.Kind.sample.rawValue }
            #expect(time.count > 100 && switches.count > 100)
            #expect(switches.allSatisfy { $0.time < time.time })
        }
    }

    @Test("A burst of switches does not end them")
    func burst() throws {
        // It makes more switches in a second than the profile allows on average, and waits then.
        let burst = "import time\nfor each in range(2500): time.sleep(0.000001)\ntime.sleep(1000)"
        try Self.profiled(burst, ProfileRates(hertz: 99, switches: 2_000)) { pid, profile in
            var waits = 0
            var losses: [ProcessProfile.Record] = []
            let hasAll = eventuallyBlocking {
                let new = profile.take(of: pid, lossesFrom: 0)
                waits += new.records.count { $0.kind == ThreadProfile.Kind.waited.rawValue }
                losses = new.losses
                return waits >= 2_000
            }
            #expect(hasAll && losses.isEmpty, "\(waits), \(losses)")
        }
    }
}
