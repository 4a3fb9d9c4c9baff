import Foundation
import Testing
import TraceExport
import TraceTestKit

@testable import HopscopeCLI

/// Text from files, variables and programs: line ends of all kinds, lines of blanks, and numbers that are none.
@Suite struct ForeignTextTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func order(_ text: String) throws -> OrderFile {
        try folder.write(text, to: "it.order")
        return try OrderFile(path: folder.path("it.order"))
    }

    @Test("The lines of an order end in any way, and lines of blanks are left out", arguments: ["\n", "\r\n", "\n \n"])
    func orderLines(end: String) throws {
        let lines = ["hopscope order 2", "failure deadlock", "# a remark", "seed 7", "early -3", "choice 1 2 3", ""]
        let order = try order(lines.joined(separator: end))
        #expect(order.ending == "deadlock" && order.seed == 7 && order.earlyLimit == -3 && order.plan.count == 1)
    }

    @Test("An order with a malformed number is refused", arguments: ["seed x", "seed -1", "early 1.5", "choice 1 2 -3"])
    func malformedOrder(line: String) {
        #expect(throws: UserError.self) { try order("hopscope order 2\nfailure hang\n\(line)\n") }
    }

    @Test("The probe's answer is found in a program's output, among lines of blanks")
    func probe() {
        let answer = ProbeAnswer(" \nhello\n   \nprobe idle\nwhy it is old\n \n")
        #expect(answer?.state == .idle && answer?.reason == "it is old")
        #expect(ProbeAnswer(" \n") == nil)
    }

    @Test("Remarks are lines that end in any way", arguments: ["\n", "\r\n"])
    func remarks(end: String) {
        let lines = ["start: one", "# none", " ", "end: two", ""]
        #expect(RemarkCommand.lines(of: lines.joined(separator: end)) == ["start: one", "end: two"])
    }

    @Test("A timeout that is no number of milliseconds is the usual one", arguments: [("nan", 10), ("inf", 10), ("500", 0.5), ("-1", 0.1)])
    func timeout(text: String, seconds: Double) throws {
        let endpoints = try ShipEndpoints(target: "http://localhost:4318", environment: ["OTEL_EXPORTER_OTLP_TIMEOUT": text])
        #expect(endpoints?[.traces]?.timeout == seconds)
    }
}
