import Foundation
import Testing
import TraceTestKit

/// `hopscope ship` against a collector that takes, refuses, delays or is away.
@Suite(.timeLimit(.minutes(3)))
struct ShipTests {
    private let scratch: ScratchFolder
    private let lanes: String

    init() throws {
        scratch = try ScratchFolder()
        lanes = try scratch.privateFolder("lanes")
    }

    private static let demo = [Hopscope.path, "demo", "recipes-invisible-error", "--no-ui", "--speed", "10"]

    /// Runs `ship` beside a program, a demo unless another is given, and ends it when the program has ended. It looks for processes once
    /// more before it ends. `isHeld` stops it while the program runs; `variables` are of the program, and `settings` of both.
    private func ship(
        to address: String, beside program: [String] = demo, isHeld: Bool = false, variables: [String] = [], settings: [String] = []
    ) async throws -> FinishedProcess {
        let script = """
            log=$2 hold=$3
            "$0" ship --to "$1" --every 200ms 2>"$log" & ship=$!
            while ! grep -q 'It sends to' "$log"; do :; done
            shift 3
            [ $hold = no ] || kill -STOP $ship
            env "$@" >/dev/null 2>&1 </dev/null
            [ $hold = no ] || kill -CONT $ship
            kill -INT $ship; wait $ship; status=$?
            cat "$log"; exit $status
            """
        return try await FinishedProcess.run(
            [
                "env", "HOPSCOPE=\(lanes)", "XDG_STATE_HOME=\(scratch.path("state"))", "OTEL_EXPORTER_OTLP_TIMEOUT=3000",
            ] + settings + [
                "sh", "-c", script, Hopscope.path, address, scratch.path("log"), isHeld ? "yes" : "no",
            ] + variables + program)
    }

    /// The numbers of the last sentence: items sent and items dropped.
    private func sums(_ process: FinishedProcess) throws -> (sent: Int, dropped: Int) {
        let line = try #require(process.output.split(separator: "\n").last { $0.contains("were sent") })
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        return (numbers[0], numbers[1])
    }

    /// The folder of the requests that a collector has not taken.
    private func folder(for collector: FakeCollector) -> String {
        let name = collector.address.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "_" }
        return scratch.path("state") + "/hopscope/ship/" + String(name)
    }

    /// Leaves a request for `ship`, as an earlier one would.
    private func keep(_ text: String, as name: String, for collector: FakeCollector) throws {
        try FileManager.default.createDirectory(atPath: folder(for: collector), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder(for: collector) + "/" + name))
    }

    @Test("A collector gets metrics, the fault's trace and the finding")
    func sends() async throws {
        let collector = try FakeCollector()
        let process = try await ship(to: collector.address)
        #expect(process.status == 0, "\(process.output)")
        #expect(try sums(process).dropped == 0)
        let paths = Set(collector.taken.map(\.path))
        #expect(paths == ["/v1/metrics", "/v1/traces", "/v1/logs"], "\(process.output)")
        let text = collector.taken.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        for word in ["hopscope.tasks.ended", "hopscope.faults", "NoSuchFile", "unobserved-fault", "service.name", "hopscope.ship.cost"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test("A process that has ended before ship could look at it has its own service's name")
    func namesAnEndedProcess() async throws {
        let collector = try FakeCollector()
        let process = try await ship(
            to: collector.address, isHeld: true,
            variables: ["OTEL_SERVICE_NAME=short-lived", "OTEL_RESOURCE_ATTRIBUTES=service.version=7.1,deployment.environment=night"])
        #expect(process.status == 0, "\(process.output)")
        let text = collector.taken.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        for word in ["short-lived", "7.1", "deployment.environment", "night"] { #expect(text.contains(word), "\(word)") }
    }

    @Test("A process that has ended before ship could look at it has the places of its tasks")
    func namesPlacesOfAnEndedProcess() async throws {
        let collector = try FakeCollector()
        let process = try await ship(
            to: collector.address, beside: [WatchedProgram.invisibleError.path()], isHeld: true,
            variables: ["LD_PRELOAD=\(Hopscope.probe)"])
        #expect(process.status == 0, "\(process.output)")
        let text = collector.taken.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        let line = try WatchedProgram.line(of: "Task(name: \"saveDraft\")", in: "InvisibleError.swift")
        #expect(text.contains("DraftError"))
        #expect(text.contains("InvisibleError.swift:\(line)"))
    }

    @Test("A busy collector gets everything later", arguments: [503, 429])
    func retries(status: Int) async throws {
        let collector = try FakeCollector(statuses: [status, 200])
        let process = try await ship(to: collector.address)
        #expect(process.status == 0)
        #expect(try sums(process).dropped == 0)
        #expect(process.output.contains("takes no data now: it answers \(status)"))
        #expect(process.output.contains("takes data again"))
        #expect(collector.requests.count == collector.taken.count + 1)
    }

    @Test("What a collector refuses is dropped, counted and told")
    func refuses() async throws {
        let collector = try FakeCollector(statuses: [413])
        let process = try await ship(to: collector.address)
        let sums = try sums(process)
        #expect(sums.sent == 0)
        #expect(sums.dropped > 0)
        #expect(process.output.contains("it answers 413"))
    }

    @Test("What a collector that is away did not get, the next ship sends")
    func keeps() async throws {
        let collector = try FakeCollector(statuses: [503])
        let first = try await ship(to: collector.address)
        #expect(try sums(first).sent == 0)
        #expect(first.output.contains("are kept for the next time"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("state")).filter { $0.hasSuffix(".pb") }
        #expect(!files.isEmpty)
    }

    @Test("A target that is no address is wrong usage", arguments: ["localhost:4318", "ftp://host", "http://", ""])
    func targets(target: String) async throws {
        let process = try await Hopscope.run("ship", "--to", target)
        #expect(process.status == 64)
        #expect(process.errors.contains("http://localhost:4318"))
    }

    @Test("A certificate that cannot be read is wrong usage", arguments: ["CERTIFICATE", "METRICS_CLIENT_KEY"])
    func certificates(variable: String) async throws {
        let path = scratch.path("missing.pem")
        let process = try await FinishedProcess.run(
            ["env", "OTEL_EXPORTER_OTLP_\(variable)=\(path)", Hopscope.path, "ship", "--to", "https://localhost:4318"])
        #expect(process.status == 64)
        #expect(process.errors.contains("\(path), which cannot be read"))
        // One that can be read is taken.
        try scratch.write("", to: "missing.pem")
        let collector = try FakeCollector()
        let sent = try await ship(to: collector.address, settings: ["OTEL_EXPORTER_OTLP_\(variable)=\(path)"])
        #expect(sent.status == 0, "\(sent.output)")
    }

    @Test("A collector that names another address gets no second request, and its refusal is told", arguments: [301, 302, 307, 308])
    func followsNoRedirection(status: Int) async throws {
        let other = try FakeCollector()
        let collector = try FakeCollector(statuses: [status], .answers(headers: "Location: \(other.address)/v1/metrics\r\n"))
        let process = try await ship(to: collector.address, settings: ["OTEL_EXPORTER_OTLP_HEADERS=authorization=secret"])
        #expect(collector.requests.contains { $0.head.contains("authorization: secret") })
        #expect(other.requests.isEmpty)
        let sums = try sums(process)
        #expect(sums.sent == 0)
        #expect(sums.dropped > 0)
        #expect(process.output.contains("it answers \(status), a redirection, which is not followed"), "\(process.output)")
    }

    @Test("An answer without an end is cut off")
    func cutsAnswers() async throws {
        let collector = try FakeCollector(.isEndless)
        let process = try await ship(to: collector.address)
        #expect(process.status == 0, "\(process.output)")
        #expect(try sums(process).sent > 0)
        // Beside the 64 KiB of each answer, the sockets of both sides hold some megabytes.
        #expect(collector.writtenBytes < collector.requests.count * (16 << 20), "\(collector.requests.count)")
    }

    @Test("A collector's message reaches the terminal without control characters")
    func spellsMessages() async throws {
        let message = Array("\u{1B}]0;mine\u{07}".utf8)
        let partial = [0x08, 0x01, 0x12, UInt8(message.count)] + message
        let collector = try FakeCollector(.answers(body: [0x0A, UInt8(partial.count)] + partial))
        let process = try await ship(to: collector.address)
        #expect(process.output.contains("\\u{1B}]0;mine\\u{7}"), "\(process.output)")
        #expect(!process.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test("A collector at an IPv6 address gets data")
    func sendsToIPv6() async throws {
        let collector = try FakeCollector(isIPv6: true)
        let process = try await ship(to: collector.address)
        #expect(try sums(process).dropped == 0)
        #expect(Set(collector.taken.map(\.path)) == ["/v1/metrics", "/v1/traces", "/v1/logs"], "\(process.output)")
    }

    @Test("A port beyond 65535 is wrong usage, and its password is not printed", arguments: [0, 65_536, 99_999])
    func ports(port: Int) async throws {
        let process = try await Hopscope.run("ship", "--to", "http://me:secret@127.0.0.1:\(port)")
        #expect(process.status == 64)
        #expect(process.errors.contains("'http://127.0.0.1:\(port)' has no port between 1 and 65535"), "\(process.errors)")
        #expect(!process.errors.contains("secret"))
    }

    @Test("A password in the address is neither printed nor a part of a file's name")
    func hidesPasswords() async throws {
        let collector = try FakeCollector()
        let process = try await ship(to: "http://me:secret@127.0.0.1:\(collector.port)")
        #expect(try sums(process).sent > 0)
        #expect(process.output.contains("It sends to \(collector.address) every"), "\(process.output)")
        #expect(!process.output.contains("secret"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path("state")).allSatisfy { !$0.contains("secret") })
    }

    @Test("A Retry-After that is no time to wait does not shorten the pauses", arguments: ["-5", "soon", "0", "-99999999999999999999"])
    func distrustsRetryAfter(value: String) async throws {
        let collector = try FakeCollector(statuses: [503], .answers(headers: "Retry-After: \(value)\r\n"))
        let process = try await ship(to: collector.address)
        #expect(try sums(process).sent == 0)
        // The program runs for less than two seconds, and the end takes three: pauses of one and of two seconds.
        #expect(collector.requests.count < 10, "\(collector.requests.count)")
    }

    @Test("A symbolic link among the kept requests is not sent")
    func sendsNoLink() async throws {
        let collector = try FakeCollector()
        try keep("of an earlier run", as: "000000000002-logs-1.pb", for: collector)
        try Data("mine alone".utf8).write(to: URL(fileURLWithPath: scratch.path("secret")))
        try FileManager.default.createSymbolicLink(
            atPath: folder(for: collector) + "/000000000001-metrics-5.pb", withDestinationPath: scratch.path("secret"))
        _ = try await ship(to: collector.address)
        let text = collector.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(text.contains("of an earlier run"))
        #expect(!text.contains("mine alone"))
    }

    @Test("Files with impossible numbers among the kept requests are left alone")
    func distrustsNames() async throws {
        let collector = try FakeCollector()
        let greatest = String(Int.max)
        for name in ["\(greatest)-metrics-1.pb", "000000000001-metrics-\(greatest).pb", "000000000002-metrics-\(greatest).pb"] {
            try keep("of another program", as: name, for: collector)
        }
        let process = try await ship(to: collector.address)
        #expect(try process.status == 0 && sums(process).dropped == 0, "\(process.output)")
        #expect(!collector.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("of another program") })
    }

    @Test("Kept requests are sent together; if the collector refuses them so, each alone", arguments: [[200], [400, 200]])
    func sendsTogether(statuses: [Int]) async throws {
        let collector = try FakeCollector(statuses: statuses)
        for number in 100..<200 { try keep("<\(number)>", as: "000000000\(number)-logs-1.pb", for: collector) }
        let process = try await ship(to: collector.address)
        #expect(try sums(process).dropped == 0, "\(process.output)")
        let logs = collector.taken.filter { $0.path == "/v1/logs" }
        let text = logs.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        for number in 100..<200 { #expect(text.contains("<\(number)>")) }
        if statuses == [200] { #expect(logs.count < 10, "\(logs.count)") }
    }

    @Test("A collector that never answers costs hardly any processor time, and the backlog is told")
    func waitsForSilence() async throws {
        let collector = try FakeCollector(.isSilent)
        // `times` of the inner shell is the time of ship alone, in its second line.
        let script = """
            log=$2 number=$3
            (sh -c 'echo $$ >"$1"; exec "$0" ship --to "$2" --every 200ms' "$0" "$number" "$1" 2>"$log"; times) & shell=$!
            while ! grep -qs 'is behind' "$log"; do :; done
            kill -INT "$(cat "$number")"; wait $shell
            cat "$log" >&2
            """
        let process = try await FinishedProcess.run([
            "env", "HOPSCOPE=\(lanes)", "XDG_STATE_HOME=\(scratch.path("state"))", "OTEL_EXPORTER_OTLP_TIMEOUT=3000",
            "sh", "-c", script, Hopscope.path, collector.address, scratch.path("log"), scratch.path("number"),
        ])
        let times = try #require(process.output.split(separator: "\n").dropFirst().first, "\(process.errors)")
        let seconds = times.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
        try #require(seconds.count == 4)
        #expect(seconds[1] + seconds[3] < 1.2, "\(times)")
        #expect(process.errors.contains("requests are kept for the next time"), "\(process.errors)")
    }
}
