import Foundation
import Testing
import TraceTestKit

/// `check --timeout` and `run --timeout` on programs that hang, and on slow ones that do not.
@Suite(.timeLimit(.minutes(5)))
struct HangTests {
    /// A way to hang: the function of the program that hangs so, what the finding must say of its cause, and the line that it must name.
    struct Way: Sendable, CustomTestStringConvertible {
        let function: String
        let cause: String
        let line: String
        var testDescription: String { function }
    }

    static let ways = [
        Way(function: "awaitCycle", cause: "wait for each other in a circle", line: "func waitForOther"),
        Way(function: "leakedContinuation", cause: "nothing has resumed the continuation", line: "await withUnsafeContinuation"),
        Way(function: "semaphoreInTask", cause: "blocks its thread in _dispatch_semaphore_wait_slow", line: "func hold(_ semaphore"),
        Way(function: "lockInTask", cause: "blocks its thread in __pthread_mutex_lock", line: "    lock.lock()\n    lock.unlock()"),
        Way(function: "openStream", cause: "nothing has sent to the stream", line: "func drain"),
        Way(
            function: "actorWaitsOnItself", cause: "blocks its thread in _dispatch_semaphore_wait_slow",
            line: "        done.wait()\n    }\n}\nfunc actor"),
        Way(function: "endlessSleep", cause: "sleeps", line: "func endlessSleep"),
        Way(function: "blockingRead", cause: "blocks its thread in", line: "_ = read("),
        Way(function: "groupOfOne", cause: "nothing has resumed the continuation", line: "await withUnsafeContinuation"),
        Way(function: "mainIsBlocked", cause: "in _dispatch_semaphore_wait_slow", line: "    done.wait()\n}\n\nfunc openThrowing"),
        Way(function: "openThrowingStream", cause: "nothing has sent to the stream", line: "func drain(throwing"),
        Way(function: "unreadChild", cause: "nothing has resumed the continuation", line: "await withUnsafeContinuation"),
        Way(function: "locksInTurn", cause: "blocks its thread in __pthread_mutex_lock", line: "    other.lock()"),
        Way(function: "groupNeverLeft", cause: "blocks its thread in _dispatch_group_wait", line: "func wait(on group"),
        Way(function: "conditionNeverSignalled", cause: "blocks its thread in", line: "    condition.wait()"),
        Way(function: "queueIsHeld", cause: "blocks its thread in DispatchQueue.sync", line: "    queue.sync"),
        Way(
            function: "actorIsHeld", cause: "blocks its thread in _dispatch_semaphore_wait_slow",
            line: "        semaphore.wait()\n        visits"),
        Way(function: "poolIsFull", cause: "has no thread to run on", line: "func hold(_ semaphore"),
        Way(function: "awaitsItself", cause: "waits for itself", line: "func waitForOther"),
        Way(function: "queuesInTurn", cause: "is in a circle of queues: thread ", line: "        second.sync"),
        Way(function: "silentSocket", cause: ", which waits for data from 127.0.0.1:", line: "_ = recv("),
        // A task that polls waits at most moments, as one that nothing resumes does.
        Way(function: "polls", cause: " goes on: ", line: "    while !flag.read() { try?"),
        Way(function: "yields", cause: " goes on: ", line: "    while isEndless || !flag.read() { await Task.yield"),
        Way(function: "retries", cause: " goes on: ", line: "        do { return try await connect()"),
        Way(function: "asksAgain", cause: " goes on: ", line: "    while isEndless || !flag.read() { let _: Void"),
        Way(function: "asksAnotherTask", cause: " goes on: ", line: "    while isEndless || !flag.read() { _ = await"),
    ]

    private func check(_ arguments: [String], _ program: [String], in folder: ScratchFolder) async throws -> FinishedProcess {
        try await FinishedProcess.run(
            ["env", "HOPSCOPE_FLIGHT_DIR=\(folder.path)", Hopscope.path, "check", "--timeout", "1500ms"] + arguments + ["--"] + program)
    }

    @Test("A program that hangs is ended; the finding names the cause and its line", arguments: ways)
    func namesTheCause(way: Way) async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.hangs.path()
        let ended = try await check(["--fail-on", "hang"], [program, way.function], in: folder)
        #expect(ended.status == 1, "\(ended.output)\(ended.errors)")
        let findings = ended.output.split(separator: "\n").filter { $0.contains("error: hang: ") }
        let line = try WatchedProgram.line(of: way.line, in: "Ways.swift")
        #expect(findings.first?.contains(way.cause) == true, "\(ended.output)")
        #expect(findings.first?.contains("Ways.swift:\(line)") == true, "\(ended.output)")
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(kept.contains { $0.hasPrefix("hangs-") && $0.hasSuffix("-hang.hop") }, "\(kept) \(ended.errors)")
    }

    @Test("A slow program that ends in time gives no finding", arguments: ways)
    func passesTheSlow(way: Way) async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.hangs.path()
        let command = ["env", "HOPSCOPE_FLIGHT_DIR=\(folder.path)", Hopscope.path, "check", "--timeout", "50s", "--fail-on", "hang", "--"]
        let ended = try await FinishedProcess.run(command + [program, way.function, "slow"])
        #expect(ended.status == 0 && !ended.output.contains("hang:"), "\(ended.output)\(ended.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("JSON and JUnit have the rule 'hang', and 'run' tells it too; a deadline without a program is wrong usage")
    func hasAllFormats() async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.hangs.path()
        let json = try await check(["--format", "json"], [program, "leakedContinuation"], in: folder)
        let object = try JSONObject(json.output)
        #expect(json.status == 1 && object.fields["failed"] as? Bool == true)
        let finding = try #require(object.list("findings").first { $0.text("rule") == "hang" })
        #expect(finding.text("message")?.contains("nothing has resumed the continuation") == true && !finding.list("evidence").isEmpty)
        // The recording lasts until the deadline, although no event came for most of that time.
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix("-hang.hop") })
        let events = try await FinishedProcess.run([Hopscope.path, "export", "--to", "jsonl", folder.path(name)]).output
        #expect(events.split(separator: "\n").last?.contains("Hopscope ended the program, which had not ended after 1.5") == true)
        let junit = try await check(["--format", "junit"], [program, "semaphoreInTask"], in: folder)
        #expect(junit.status == 1 && junit.output.contains("<testcase classname=\"hang\"") && junit.output.contains("type=\"hang\""))
        let run = try await FinishedProcess.run(
            ["env", "HOPSCOPE_FLIGHT_DIR=\(folder.path)", Hopscope.path, "run", "--timeout", "1500ms", "--", program, "leakedContinuation"])
        #expect(run.status == 1 && run.output.contains("error: hang: "), "\(run.output)\(run.errors)")
        let shell = try await FinishedProcess.run([Hopscope.path, "run", "--timeout", "200ms", "--", "sleep", "600"])
        #expect(shell.status == 1 && shell.output.contains("'sleep' had not ended after 200"), "\(shell.output)\(shell.errors)")
        #expect(try await FinishedProcess.run([Hopscope.path, "check", "--timeout", "5s", "none.hop"]).status == 64)
        #expect(try await FinishedProcess.run([Hopscope.path, "check", "--timeout", "soon", "--", "true"]).status == 64)
    }

    @Test("A program that ignores SIGTERM and its children are killed five seconds later")
    func killsTheStubborn() async throws {
        let folder = try ScratchFolder()
        let shell = "trap '' TERM; sleep 600 & echo $! >\(folder.path("child")); while :; do sleep 1; done"
        let ended = try await check(["--fail-on", "hang"], ["sh", "-c", shell], in: folder)
        #expect(ended.status == 1 || ended.status == 69, "\(ended.output)\(ended.errors)")
        let child = try #require(folder.text("child")).dropLast()
        // A process that is gone may be there as a zombie until its parent asks.
        let status = FileManager.default.contents(atPath: "/proc/\(child)/status").map { String(decoding: $0, as: UTF8.self) }
        #expect(status == nil || status?.contains("State:\tZ") == true, "\(status ?? "")")
    }
}
