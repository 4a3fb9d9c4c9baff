import Foundation
import InspectorTestKit
import Testing

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
    /// more before it ends. `isHeld` stops it while the program runs; `variables` are of the program.
    private func ship(
        to address: String, beside program: [String] = demo, isHeld: Bool = false, variables: [String] = []
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
                "sh", "-c", script, Hopscope.path, address, scratch.path("log"), isHeld ? "yes" : "no",
            ] + variables + program)
    }

    /// The numbers of the last sentence: items sent and items dropped.
    private func sums(_ process: FinishedProcess) throws -> (sent: Int, dropped: Int) {
        let line = try #require(process.output.split(separator: "\n").last { $0.contains("were sent") })
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        return (numbers[0], numbers[1])
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
}
