import Testing

/// The output of the program without a terminal.
@Suite(.timeLimit(.minutes(2)))
struct ReportTests {
    @Test("AWS guide, first scenario: both calls succeed")
    func bothSucceed() async throws {
        let report = try await report(of: "kinesis-success")
        #expect(report.tasks.map(\.state) == report.tasks.map { _ in "succeeded" })
        #expect(report.tasks.allSatisfy { $0.role == nil && $0.error == nil })
        #expect(report.faults.isEmpty)
        #expect(!report.tasks(named: "submitAllRecords").isEmpty)
    }

    @Test("AWS guide, second scenario: submitAllRecords fails, and the last continuation reads its error")
    func submitFails() async throws {
        let report = try await report(of: "kinesis-submit-fails")
        #expect(report.tasks(named: "saveRecord").map(\.state) == ["succeeded"])
        #expect(report.tasks(named: "report").map(\.state) == ["succeeded"])
        let fault = try #require(report.faults.first)
        #expect(report.faults.count == 1)
        #expect(report.path(of: fault) == ["submitAllRecords thrown", "submitAllRecords forwarded", "report recovered"])
        #expect(fault.verdict == "recovered")
    }

    @Test("AWS guide, third scenario: saveRecord fails, submitAllRecords is skipped, and the last continuation reads the error")
    func saveFails() async throws {
        let report = try await report(of: "kinesis-save-fails")
        let save = try #require(report.tasks(named: "saveRecord").first)
        let submit = try #require(report.tasks(named: "submitAllRecords").first)
        let last = try #require(report.tasks(named: "report").first)
        #expect(report.tasks.count == 3)
        #expect(save.state == "faulted")
        #expect(save.role == "thrown")
        #expect(save.error?.message == "throttled")
        #expect(submit.state == "faulted")
        #expect(submit.role == "forwarded")
        #expect(submit.antecedents == [save.id])
        #expect(submit.queuedTime == nil)
        #expect(submit.startedTime == nil)
        #expect(last.state == "succeeded")
        #expect(last.role == "recovered")
        #expect(last.startedTime != nil)
        #expect(last.antecedents == [submit.id])
        #expect(report.faults.map { report.path(of: $0) } == [["saveRecord thrown", "submitAllRecords forwarded", "report recovered"]])
    }

    private func report(of scenario: String) async throws -> PrintedReport {
        let process = try await Hopscope.run("demo", scenario, "--speed", "10", "--no-ui", "--report", "json")
        #expect(process.status == 0, "\(process.errors)")
        let report = try PrintedReport(of: process)
        #expect(report.format == 1)
        #expect(report.lost == 0)
        return report
    }

    @Test("Without a terminal the demo runs to its end and prints the report as text")
    func withoutTerminal() async throws {
        let process = try await Hopscope.run("demo", "kinesis-save-fails", "--speed", "10")
        #expect(process.status == 0, "\(process.errors)")
        for word in ["saveRecord", "submitAllRecords", "faulted", "forwarded", "throttled"] {
            #expect(process.output.contains(word))
        }
        #expect(!process.output.contains("\u{1B}"), "No terminal, no escape sequences.")
    }

    @Test("--list describes every scenario")
    func list() async throws {
        let process = try await Hopscope.run("demo", "--list")
        #expect(process.status == 0)
        let names = process.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        for name in [
            "tour", "guides", "kinesis-success", "kinesis-submit-fails", "kinesis-save-fails", "kinesis-parallel", "gini-valedictorian",
            "hash",
            "load",
        ] {
            #expect(names.contains(name))
        }
    }

    @Test(
        "Wrong usage prints a sentence on the error stream only and exits with 64",
        arguments: [
            ["nonsense"],
            ["demo", "no-such-scenario"],
            ["demo", "--no-such-option"],
            ["demo", "--speed", "fast"],
            ["demo", "--speed", "0"],
            ["demo", "--tasks", "-1"],
            ["demo", "--report", "xml"],
        ])
    func wrongUsage(arguments: [String]) async throws {
        let process = try await FinishedProcess.run([Hopscope.path] + arguments)
        #expect(process.status == 64)
        #expect(process.output.isEmpty)
        #expect(!process.errors.isEmpty)
    }

    @Test("--help and --version exit with 0", arguments: ["--help", "--version"])
    func plainQuestions(option: String) async throws {
        let process = try await Hopscope.run(option)
        #expect(process.status == 0)
        #expect(!process.output.isEmpty)
        #expect(process.errors.isEmpty)
    }
}
