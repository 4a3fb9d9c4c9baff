import Glibc
import RemoteTasks
import TaskEvents
import Testing
import TraceReport
import TraceTestKit

@Suite(.timeLimit(.minutes(5)))
struct BlockedThreadTests {
    private static let functions = [
        "waitsForGroup", "waitsForGroupInTime", "waitsForSemaphore", "waitsForQueue", "waitsForLock", "waitsForBytes", "sleepsLong",
    ]

    @Test(
        "The stack of a thread that blocks reaches the program's function and its line",
        arguments: [UnpreparedProgram.Build.debug, .release])
    func reachesTheProgram(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.blocked.path(build))
        let process = try RemoteProcess(pid: program.pid)
        var snapshot = try Snapshot(of: process)
        // The threads were about to block when the program said that it was ready.
        while snapshot.threads.contains(where: { $0.state != "S" }) { snapshot = try Snapshot(of: process) }
        let symbols = SnapshotSymbols(of: snapshot)
        let stacks = snapshot.threads.map { symbols.calls(at: $0.stack) }
        for function in Self.functions {
            let calls = stacks.filter { $0.contains { $0.function == "\(function)()" } }
            #expect(calls.count == 1, "\(function): \(stacks)")
            let site = try UnpreparedProgram.blocked.site(of: "// \(function)")
            #expect(calls.first?.contains { $0.function == "\(function)()" && $0.site == site } == true, "\(function): \(calls)")
        }
    }

    @Test(
        "The thread of a task is the one that runs it, although other threads' stacks hold the task's address",
        arguments: [UnpreparedProgram.Build.debug, .release, .staticRuntime])
    func oldAddresses(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.stale.path(build))
        let process = try RemoteProcess(pid: program.pid)
        var snapshot = try Snapshot(of: process)
        while snapshot.threads.contains(where: { $0.state != "S" }) { snapshot = try Snapshot(of: process) }
        let running = snapshot.threads.filter { $0.task != nil }
        #expect(running.count == 1 && snapshot.threads.count >= 6, "\(snapshot.threads)")
        let calls = running.first.map { SnapshotSymbols(of: snapshot).calls(at: $0.stack) } ?? []
        let site = try UnpreparedProgram.stale.site(of: "// the task's own wait")
        #expect(calls.contains { $0.site == site }, "\(calls)")
    }

    @Test("A thread that has crashed waits for the backtracer, not in the call that crashed", arguments: ["fatal-error", "null"])
    func crashed(how: String) throws {
        let folder = try ScratchFolder()
        try folder.write("#!/bin/sh\necho $$\necho ready\nexec tail -f /dev/null\n", to: "swift-backtrace")
        #expect(chmod(folder.path("swift-backtrace"), 0o700) == 0)
        let program = try RunningProgram(
            try UnpreparedProgram.crash.path(.debug), [how, "task"], backtracer: folder.path("swift-backtrace"))
        let backtracer = try #require(program.lines.last.flatMap { Int32($0) })
        defer {
            kill(backtracer, SIGKILL)
            program.end()
        }
        let snapshot = try Snapshot(of: try RemoteProcess(pid: program.pid))
        let symbols = SnapshotSymbols(of: snapshot)
        let calls = snapshot.threads.compactMap { symbols.blockingCall(of: $0)?.function }
        #expect(calls == ["Swift's backtracer, after a crash"], "\(snapshot.threads.map { symbols.calls(at: $0.stack) })")
        let report = HangReport(SnapshotReport(snapshot, program: "crash", route: .snapshot), deadline: "1 s")
        let site = try UnpreparedProgram.crash.site(of: how == "null" ? "case \"null\"" : "case \"fatal-error\"")
        let message = report.findings().first?.message ?? ""
        #expect(message.contains("Swift's backtracer, after a crash") && message.contains(site), "\(message)")
    }

    @Test(
        "Of tasks that hop between threads all the time, none is said to block a thread",
        arguments: [UnpreparedProgram.Build.debug, .release])
    func hoppersDoNotBlock(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.churn.path(build))
        let process = try RemoteProcess(pid: program.pid)
        var earlier = try Snapshot(of: process)
        for _ in 0..<Stress.snapshots(everyDay: 6) {
            let snapshot = try Snapshot(of: process)
            let report = SnapshotReport(snapshot, program: "churn", route: .snapshot)
            let messages = HangReport(report, since: [earlier], deadline: "1 s").findings().map(\.message)
            #expect(!messages.contains { $0.contains("blocks its thread") || $0.contains("the thread that runs its jobs") }, "\(messages)")
            earlier = snapshot
        }
    }

    @Test("A library that waits is told after the program's own waits")
    func libraryIsLast() throws {
        let program = try RunningProgram(try UnpreparedProgram.served.path(.debug))
        let process = try RemoteProcess(pid: program.pid)
        var snapshot = try Snapshot(of: process)
        while snapshot.threads.contains(where: { $0.state != "S" }) { snapshot = try Snapshot(of: process) }
        let report = SnapshotReport(snapshot, program: "served", route: .snapshot)
        let reported = HangReport(report, deadline: "1 s").findings()
        let findings = reported.map(\.message)
        let sites = try ["print(read(ends", "await withCheckedContinuation"].map { try UnpreparedProgram.served.lastSite(of: $0) }
        func index(_ text: String) throws -> Int {
            try #require(findings.firstIndex { $0.contains(text) }, "\(text) in \(findings)")
        }
        let own = try [index("readsBytes() had"), index("in waits()")]
        let library = try [index("readsBytesOfLibrary() had"), index("in waitsInLibrary()")]
        #expect(own.max()! < library.min()!, "\(findings)")
        #expect(sites.allSatisfy { site in findings.prefix(3).contains { $0.contains(site) } }, "\(sites) in \(findings)")
        #expect(own.map { reported[$0].site } == sites, "\(sites)")
        // The library's task is called after the handler that it runs.
        #expect(findings.contains { $0.hasPrefix("handles() had") && $0.contains("that handles() waits for at ") }, "\(findings)")
    }

    @Test(
        "Queues that wait for one another by sync are told with the lines of all blocks; a queue whose block goes on is not",
        arguments: [UnpreparedProgram.Build.debug, .release, .staticRuntime])
    func circlesOfQueues(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.queues.path(build))
        let process = try RemoteProcess(pid: program.pid)
        var snapshot = try Snapshot(of: process)
        while snapshot.threads.count(where: { $0.queueWait != nil }) < 8 { snapshot = try Snapshot(of: process) }
        let report = SnapshotReport(snapshot, program: "queues", route: .snapshot)
        let rings = snapshot.queueRings
        #expect(
            Set(rings.map { Set($0.compactMap { $0.queueWait?.queue }) }) == [
                ["first", "second"], ["bottom", "fourth", "fifth"], ["main", "worker"],
            ])
        let findings = HangReport(report, deadline: "1 s").findings().map(\.message)
        var text = ""
        report.writeText(to: &text, isASCII: true, showsStacks: false)
        for circle in [["one", "two"], ["three", "four", "five"], ["onMain", "fromMain"]] {
            let sites = try circle.map { try UnpreparedProgram.queues.site(of: "// \($0)") }
            let isNamed = { (text: String) in text.contains("none of them can go on") && sites.allSatisfy { text.contains(" at \($0) in ") }
            }
            #expect(findings.contains(where: isNamed), "\(circle) in \(findings)")
            #expect(text.split(separator: "\n").contains { isNamed(String($0)) }, "\(circle) in \(text)")
        }
        // The block of the last queue goes on one day.
        let (waiter, holder) = (
            try UnpreparedProgram.queues.site(of: "// healthy"), try UnpreparedProgram.queues.site(of: "// holds")
        )
        let healthy = try #require(snapshot.threads.first { $0.queueWait?.queue == "held" })
        #expect(!rings.joined().contains { $0.id == healthy.id })
        // With the Swift libraries in the program's file, the innermost functions of a thread are theirs.
        let hasLines = build != .staticRuntime
        let wait = "for queue held, held by thread"
        #expect(findings.contains { (!hasLines || $0.contains(waiter)) && $0.contains(wait) && $0.contains(holder) })
        var json = ""
        report.writeJSON(to: &json)
        #expect(json.contains(#""waits_for":{"queue":"held","thread":"#))
    }
}
