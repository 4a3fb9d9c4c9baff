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
    /// A program that gives its processor up all the time.
    private static let restless = "import time\nwhile True: time.sleep(0.000001)"

    @Test("Too many switches in a second end them; the samples go on")
    func tooMany() throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        program.arguments = ["-c", Self.restless]
        try program.run()
        let pid = program.processIdentifier
        defer {
            kill(pid, SIGKILL)
            program.waitUntilExit()
        }
        let profile = try ProcessProfile(of: pid, ProfileRates(hertz: 999, switches: 100))
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
