import Foundation
import Testing
import TraceTestKit

/// `explore` on programs with bugs that only some orders show, and on their healthy twins.
@Suite(.timeLimit(.minutes(2)))
struct ExploreTests {
    static let bugs = ["reentrancy", "reply", "locks", "queue", "cache", "concurrent", "pipe", "twice"]

    /// Runs the command in a folder, where it saves the order.
    private func explore(_ options: String, _ arguments: String, in folder: ScratchFolder) async throws -> FinishedProcess {
        let program = try WatchedProgram.orders.path()
        return try await FinishedProcess.run(
            ["sh", "-c", "cd '\(folder.path)' && exec '\(Hopscope.path)' explore \(options) -- '\(program)' \(arguments)"])
    }

    /// Runs the command on a script that stands for `swift test`.
    private func exploreTests(_ script: String, _ options: String, in folder: ScratchFolder) async throws -> FinishedProcess {
        try "#!/bin/sh\n\(script)\n".write(toFile: folder.path("script"), atomically: true, encoding: .utf8)
        // A copy, because other tests' processes may have this process's file open, and such a file cannot be run.
        let shell = "cd '\(folder.path)' && cp script swift && chmod +x swift && exec '\(Hopscope.path)' explore"
        return try await FinishedProcess.run(["sh", "-c", "\(shell) \(options) -- ./swift test"])
    }

    @Test("A bug of the order is found within 200 orders, and its saved order fails again", arguments: bugs)
    func findsAndReplays(bug: String) async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 200", bug, in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(found.output.contains("20 of 20 replays fail alike"), "\(found.output)")
        #expect(found.output.contains("first come, first served:\n  1  "), "\(found.output)")
        let replayed = try await explore("--replay orders.order", bug, in: folder)
        #expect(replayed.status == 1, "\(replayed.output)\(replayed.errors)")
        #expect(replayed.output.hasPrefix("orders fails in the order of orders.order (seed "), "\(replayed.output)")
        #expect(!replayed.output.contains("Saved:"), "\(replayed.output)")
        #expect(replayed.output.contains("20 of 20 replays fail alike"), "\(replayed.output)")
    }

    @Test("The message of a crash is told, and not only the calls that Swift prints below it")
    func tellsMessageOfCrash() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 200", "overdrawn", in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(found.output.contains("the account is overdrawn"), "\(found.output)")
        #expect(!found.output.contains("swift_task_") && !found.output.contains("0x"), "\(found.output)")
    }

    @Test("A healthy twin fails in no order", arguments: bugs)
    func findsNothingInTwins(bug: String) async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 60", "\(bug) healthy", in: folder)
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains("no order of 60 failed"), "\(found.output)")
    }

    @Test(
        "A healthy program that waits in another way fails in no order",
        arguments: ["signal", "process", "timer", "loop", "spin", "greedy"])
    func awaitsEvents(_ program: String) async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 8", program, in: folder)
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains("Not controlled: Dispatch sources") == ["signal", "process"].contains(program), "\(found.output)")
    }

    @Test(
        "A healthy program that waits in time, in any way of the C library, fails in no order",
        arguments: [
            "until condition", "until monotonic", "until condition-clock", "until semaphore", "until semaphore-clock", "until mutex",
            "until mutex-clock", "until reader", "until reader-clock", "until writer", "until writer-clock", "limit", "time sleep",
            "time poll", "time epoll", "time select", "time except", "time day", "beside", "tick", "doze", "child",
        ])
    func waitsInTime(_ program: String) async throws {
        let folder = try ScratchFolder()
        // The limit of a wait that has ended woke the thread again in the twelfth order.
        let found = try await explore("--orders \(program == "limit" ? 16 : 4)", program, in: folder)
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains("failed (") && !found.output.contains("cut short"), "\(found.output)")
        #expect(!found.output.contains("Time was real"), "\(found.output)")
    }

    @Test("A program that virtual time alone makes fail is explored in real time")
    func goesOnInRealTime() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 3", "answer", in: folder)
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains("no order of 3 failed"), "\(found.output)")
        #expect(found.output.contains("\n  Time was real: in virtual time it fails first come, first served"), "\(found.output)")
    }

    @Test("A failure that comes only because virtual time does not wait for another process is no order")
    func waitsForAnswers() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 12", "overtaken", in: folder)
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains(" came only because virtual time did not wait"), "\(found.output)")
    }

    @Test("Orders that were cut short are told first, and if all were, nothing was explored")
    func tellsCutShortOrders() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 2", "endless", in: folder)
        #expect(found.status == 69, "\(found.output)\(found.errors)")
        #expect(found.output.hasPrefix("orders: nothing is known of it: all orders were cut short, because"))
        let junit = try await explore("--orders 1 --policy fifo --format junit", "endless", in: folder)
        #expect(junit.output.contains("<skipped message=\"orders: nothing is known"), "\(junit.output)")
    }

    @Test("Several orders run at once, as many as there are processors", .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
    func runsSeveralAtOnce() async throws {
        let program = try WatchedProgram.orders.path()
        for isAlone in [false, true] {
            let folder = try ScratchFolder()
            let command = "\(isAlone ? "taskset -c 0 " : "")'\(Hopscope.path)' explore --orders 40 -- '\(program)' meet"
            let found = try await FinishedProcess.run(["sh", "-c", "cd '\(folder.path)' && exec \(command)"])
            #expect(found.status == 0 && found.output.contains("no order of 40 failed"), "\(found.output)\(found.errors)")
            #expect(FileManager.default.fileExists(atPath: folder.path("met")) == !isAlone)
        }
    }

    @Test("Orders that disturb each other run one at a time, and what they did to each other is no failure")
    func runsDisturbedOrdersAlone() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 40", "collide", in: folder)
        #expect(found.status == 0 && found.output.contains("no order of 40 failed"), "\(found.output)\(found.errors)")
        let hasMet = FileManager.default.fileExists(atPath: folder.path("met"))
        #expect(hasMet == (ProcessInfo.processInfo.activeProcessorCount > 1))
    }

    @Test("If no process can be made for an order, that is said, and it is no failure of the program")
    func tellsRefusals() async throws {
        let (program, library) = (try WatchedProgram.orders.path(), try WatchedProgram.noForks.path())
        let found = try await FinishedProcess.run(["env", "LD_PRELOAD=\(library)", Hopscope.path, "explore", "--", program, "reply"])
        #expect(found.status == 69, "\(found.output)\(found.errors)")
        #expect(found.errors.contains("could not be run: fork: Resource temporarily unavailable."), "\(found.errors)")
    }

    @Test("A search that the system refuses in its middle tells what it has found, and then the refusal")
    func tellsWhatItFoundBeforeARefusal() async throws {
        let (folder, library) = (try ScratchFolder(), try WatchedProgram.noForks.path())
        let program = try WatchedProgram.orders.path()
        func explore(_ arguments: String, forks: Int) async throws -> FinishedProcess {
            // On one processor, orders run one at a time.
            let environment = "LD_PRELOAD='\(library)' FORKS=\(forks)", command = "taskset -c 0 '\(Hopscope.path)' explore"
            return try await FinishedProcess.run(
                ["sh", "-c", "cd '\(folder.path)' && \(environment) exec \(command) -- '\(program)' \(arguments)"])
        }
        let none = try await explore("reply healthy", forks: 6)
        #expect(none.status == 69 && none.output.contains("no order of 5 failed"), "\(none.output)\(none.errors)")
        #expect(none.errors.contains("could not be run: fork: Resource temporarily unavailable."), "\(none.errors)")

        let whole = try await explore("reply", forks: 100_000)
        let number = whole.output.matches(of: /fails in order (\d+)/).first.flatMap { Int($0.1) } ?? 0
        // The usual order is run twice and the failing one is confirmed; then it cannot be made short.
        let found = try await explore("reply", forks: number + 3)
        #expect(found.status == 1 && found.output.contains("fails in order \(number) "), "\(found.output)\(found.errors)")
        #expect(found.output.contains("first come, first served:\n  1  "), "\(found.output)")
        #expect(found.errors.contains("could not be run: fork: Resource temporarily unavailable."), "\(found.errors)")
    }

    @Test("Of swift test, the process that lists the tests is not explored, and the recording is of the process that fails")
    func exploresTests() async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.orders.path()
        // It stands for SwiftPM, which lists the tests of a filter, then runs those of XCTest, then those of Swift Testing.
        let script = """
            '\(program)' usual all.xctest --dump-tests-json
            [ $? = 3 ] || exit 70
            '\(program)' reentrancy healthy all.xctest && '\(program)' reentrancy all.xctest
            """
        let found = try await exploreTests(script, "--orders 60 --record it.hop", in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(found.output.contains("no order of 60 failed") && found.output.contains("20 of 20 replays fail alike"), "\(found.output)")
        let tape = try await Hopscope.run("screen", folder.path("it.hop"), "--view", "tape")
        #expect(tape.output.contains("from first come, first served"), "\(tape.output)\(tape.errors)")
    }

    @Test(
        "An order of a command that lets no second one run beside it is recorded, as that of swift test is",
        arguments: ["reentrancy", "unread --fail-on unobserved-fault"])
    func recordsBesideTheCommand(bug: String) async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.orders.path()
        let words = bug.split(separator: " ", maxSplits: 1)
        // SwiftPM would wait for ever.
        let script = "exec 9>lock; flock -n 9 || exit 75\n'\(program)' \(words[0]) all.xctest"
        let options = "--orders 60 --record it.hop \(words.dropFirst().joined())"
        let found = try await exploreTests(script, options, in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        let tape = try await Hopscope.run("screen", folder.path("it.hop"), "--view", "tape")
        #expect(tape.output.contains("from first come, first served"), "\(tape.output)\(tape.errors)")
    }

    @Test("A process that has run no test is told neither as healthy nor as failing", arguments: ["untested", "untested-xctest"])
    func leavesEmptyLibraries(untested: String) async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.orders.path()
        let one = try await exploreTests(
            "'\(program)' reentrancy healthy all.xctest && '\(program)' \(untested) all.xctest", "--orders 3", in: folder)
        #expect(one.status == 0 && one.output.contains("no order of 3 failed"), "\(one.output)\(one.errors)")
        #expect(!one.output.contains("(0 choices)"), "\(one.output)")
        let first = try await exploreTests(
            "'\(program)' \(untested) all.xctest && '\(program)' usual all.xctest", "--orders 3", in: folder)
        #expect(first.status == 3 && first.output.isEmpty, "\(first.output)\(first.errors)")
        let none = try await exploreTests("'\(program)' \(untested) all.xctest", "--orders 3", in: folder)
        #expect(none.status == 69 && none.errors.contains("has run no test, so nothing was explored"), "\(none.output)\(none.errors)")
    }

    @Test("A program that always fails keeps its status, and one without Swift cannot be explored")
    func tellsOtherEnds() async throws {
        let folder = try ScratchFolder()
        let usual = try await explore("", "usual", in: folder)
        #expect(usual.status == 3, "\(usual.output)\(usual.errors)")
        #expect(usual.errors.contains("fails first come, first served"), "\(usual.errors)")
        let other = try await Hopscope.run("explore", "--", "true")
        #expect(other.status == 69, "\(other.output)\(other.errors)")
        #expect(other.errors.contains("cannot be explored"), "\(other.errors)")
    }

    @Test(
        "A program that no library can be loaded into is not started, because it may never end",
        arguments: [WatchedProgram.withRuntime, .sleepingStatic])
    func refusesStaticPrograms(program: WatchedProgram) async throws {
        let found = try await Hopscope.run("explore", "--", try program.path())
        #expect(found.status == 69, "\(found.output)\(found.errors)")
        #expect(found.errors.contains("cannot be explored: it has the Swift runtime in itself"), "\(found.errors)")
    }

    @Test("A deadlock of locks is told as one in JSON")
    func writesJSON() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 200 --format json", "locks", in: folder)
        #expect(found.output.contains("\"kind\":\"deadlock\""), "\(found.output)\(found.errors)")
        #expect(found.output.contains("\"replays\":[20,20]"), "\(found.output)")
        #expect(try JSONObject(found.output).object("failed").number("order") != nil, "\(found.output)")
        let replayed = try await explore("--replay orders.order --format json", "locks", in: folder)
        let failed = try JSONObject(replayed.output).object("failed")
        #expect(failed.fields["order"] is NSNull && failed.number("seed") != nil, "\(replayed.output)")
    }

    @Test("A finding of a rule is a failure of the order if it is asked for, and its twin has none")
    func failsByARule() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 60 --fail-on unobserved-fault", "unread", in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(found.output.contains("the rule unobserved-fault finds something. 20 of 20 replays fail alike."), "\(found.output)")
        #expect(found.output.contains("NotReady"), "\(found.output)")
        let replayed = try await explore("--replay orders.order", "unread", in: folder)
        #expect(replayed.status == 1, "\(replayed.output)\(replayed.errors)")
        let twin = try await explore("--orders 20 --fail-on unobserved-fault", "unread healthy", in: folder)
        #expect(twin.status == 0, "\(twin.output)\(twin.errors)")
        let misspelt = try await explore("--fail-on lost", "unread", in: folder)
        #expect(misspelt.status == 64 && misspelt.errors.contains("There is no rule 'lost'"), "\(misspelt.errors)")
    }

    @Test("An order in which threads wait for locks or input is recorded", arguments: ["pipe", "planted condition-missed"])
    func recordsWaits(program: String) async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 3 --fail-on unobserved-fault", "\(program) healthy", in: folder)
        #expect(found.status == 0 && found.output.contains("no order of 3 failed"), "\(found.output)\(found.errors)")
    }

    @Test("A recorded order has the blocks that it kept, with their places and queues")
    func recordsBlocks() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 200 --record it.hop", "queue", in: folder)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        let report = try await Hopscope.run("report", folder.path("it.hop"), "--format", "json")
        let told = try #require(try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
        let executors = try #require(told["executors"] as? [[String: Any]])
        // Two tasks give two blocks each, and main one.
        let jobs = executors.first { $0["name"] as? String == "counter" }?["jobs"] as? Int
        #expect(jobs == 5, "\(report.output)\(report.errors)")
        let events = try await Hopscope.run("export", folder.path("it.hop"), "--to", "jsonl").output.split(separator: "\n")
        let made = events.filter { $0.contains("\"detail\":\"block\"") }
        #expect(made.count == 5 && made.allSatisfy { $0.contains("\"antecedent\":") && $0.contains("\"site\":\"Orders.swift:") }, "\(made)")
    }

    @Test("The recording of a deadlock tells the call in which main waits")
    func recordsBlockingCalls() async throws {
        let folder = try ScratchFolder()
        let found = try await explore("--orders 200 --record it.hop", "locks", in: folder)
        #expect(found.status == 1 && found.output.contains("deadlock"), "\(found.output)\(found.errors)")
        let events = try await Hopscope.run("export", folder.path("it.hop"), "--to", "jsonl").output.split(separator: "\n")
        let began = events.filter { $0.contains("\"event\":\"waitBegan\"") }
        #expect(began.count == 1 && began[0].contains("lockInTurn(_:)"), "\(began)")
        #expect(!events.contains { $0.contains("\"event\":\"waitEnded\"") }, "\(events)")
    }

    @Test("Threads that end take part until their variables are gone: a seed makes the same choices each time")
    func repeatsEndsOfThreads() async throws {
        let folder = try ScratchFolder()
        var choices: Set<Int> = []
        for _ in 0..<10 {
            let found = try await explore("--orders 8 --seed 3 --format json", "locks healthy", in: folder)
            let told = try #require(try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any])
            choices.insert(try #require(told["choices"] as? Int))
        }
        #expect(choices.count == 1, "\(choices)")
    }

    @Test("The library exports one function for each that an order and a recording both need")
    func exportsEachFunctionOnce() async throws {
        let library = URL(fileURLWithPath: Hopscope.path).deletingLastPathComponent().appendingPathComponent("libhopscope-explore.so").path
        let symbols = try await FinishedProcess.run(["nm", "--format=posix", "--defined-only", library]).output
        var addresses: [String: Substring] = [:]
        for words in symbols.split(separator: "\n").map({ $0.split(separator: " ") }) where words.count > 2 {
            addresses[String(words[0])] = words[2]
        }
        let recorded = addresses.filter { $0.key.hasPrefix("recorded_") }
        #expect(recorded.count > 50)
        for (symbol, address) in recorded {
            let name = String(symbol.dropFirst("recorded_".count))
            // Else the order's function hides the recording's.
            #expect(addresses[name] == address || addresses["ordered_\(name)"] != nil, "\(name)")
        }
        // The compiler's own symbols have a dot.
        for symbol in addresses.keys where symbol.hasPrefix("ordered_") && !symbol.contains(".") {
            #expect(addresses["recorded_\(symbol.dropFirst("ordered_".count))"] != nil, "\(symbol)")
        }
    }

    @Test("The failing order is recorded under the probe, another order's file stays, and no '--' is needed")
    func records() async throws {
        let folder = try ScratchFolder()
        try "another order".write(toFile: folder.path("orders.order"), atomically: true, encoding: .utf8)
        let program = try WatchedProgram.orders.path()
        let shell = "cd '\(folder.path)' && exec '\(Hopscope.path)' explore --orders 200 --record it.hop '\(program)' reply"
        let found = try await FinishedProcess.run(["sh", "-c", shell])
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(found.output.contains("Saved: orders-2.order, it.hop"), "\(found.output)\(found.errors)")
        #expect(folder.text("orders.order") == "another order")
        let report = try await Hopscope.run("report", folder.path("it.hop"))
        let words = report.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("awaits a continuation that nothing has resumed"), "\(report.output)\(report.errors)")
        #expect(words.contains("`waiter`"), "\(report.output)")
        // The library that chooses the order is the one that records: each rule is checked.
        #expect(!words.contains("Not checked:"), "\(report.output)")
        let events = try await Hopscope.run("export", folder.path("it.hop"), "--to", "jsonl").output.split(separator: "\n")
        let choices = events.filter { $0.contains("\"event\":\"choice\"") }
        let deviations = choices.count { $0.contains("\"detail\":\"instead\"") }
        #expect(found.output.contains("\(deviations) \(deviations == 1 ? "choice differs" : "choices differ")"), "\(found.output)")
        let tape = try await Hopscope.run("screen", folder.path("it.hop"), "--view", "tape")
        let deviate = deviations == 1 ? "1 deviates" : "\(deviations) deviate"
        #expect(tape.output.contains("\(deviate) from first come, first served"), "\(tape.output)\(tape.errors)")
        #expect(tape.output.contains("deviates: it did not come first") && tape.output.contains("came first"), "\(tape.output)")
        #expect(choices.contains { $0.contains("\"detail\":\"passed-over\"") && $0.contains("\"task\":") }, "\(choices)")
    }

    @Test("On a terminal the search shows its progress, and Ctrl-C ends it with what has been tried")
    func endsByControlC() async throws {
        let folder = try ScratchFolder()
        let program = try WatchedProgram.orders.path()
        let command = ["-C", folder.path, Hopscope.path, "explore", "--orders", "1000000", program, "reentrancy", "healthy"]
        try await TerminalSession.run(command, program: "env") { terminal in
            try await terminal.wait(for: "Exploring orders", "of 1,000,000 orders", "pct, depth 3")
            try await terminal.press("C-c")
            let screen = try await terminal.wait(for: "orders: no order of", "Ctrl-C ended the search before all orders were tried.")
            #expect(!screen.text.contains("Exploring orders"), "\(screen.text)")
            #expect(try await terminal.ended().status == "130")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("The folder of a command that was killed is removed by the next one")
    func removesLeftovers() async throws {
        let killed = try await FinishedProcess.run(["sh", "-c", "echo $$"])
        let process = killed.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        let left = "\(parent)/hopscope-explore-\(process)-00000000"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        for name in ["record", "\(process)-orders.hoplanes"] { try Data().write(to: URL(fileURLWithPath: "\(left)/\(name)")) }
        _ = try await Hopscope.run("explore", "--", "true")
        #expect(!FileManager.default.fileExists(atPath: left))
    }
}
