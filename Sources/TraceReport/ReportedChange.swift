import TextOutput
import TraceAnalysis

extension WhatIf {
    /// Writes the answer as a JSON object on one line.
    package func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.object { line in
            line.field("change", change.text)
            line.object("base") { base.write(to: &$0) }
            line.object("new") { new.write(to: &$0) }
        }
        output.write(line.text)
        output.write("\n")
    }

    package func writeText(to output: inout some TextOutputStream, isASCII: Bool = false) {
        func text(_ nanoseconds: UInt64) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }
        var table = TextTable(
            [
                .init(heading: timed), .init(heading: "p50", isNumber: true),
                .init(heading: "p99", isNumber: true),
            ],
            isASCII: isASCII)
        table.append(["recorded", text(base.median), text(base.p99)])
        table.append([change.text, text(new.median), text(new.p99)])
        for line in table.lines(indent: 2) { output.write("\(line)\n") }
        output.write("\n  The jobs of the recording, played again with this change, on processors that were free for them.\n")
    }
}

extension WhatIf.Times {
    fileprivate func write(to line: inout JSONLine) {
        line.field("p50_ns", median)
        line.field("p99_ns", p99)
    }
}
