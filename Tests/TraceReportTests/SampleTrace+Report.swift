import TraceReport
import TraceTestKit

extension SampleTrace {
    static func json(of trace: TraceBuilder) -> String {
        var text = ""
        Report(of: trace.store(), program: "kinesis-save-fails").writeJSON(to: &text)
        return text
    }

    static func text(of trace: TraceBuilder, isASCII: Bool = false) -> String {
        var text = ""
        Report(of: trace.store(), program: "kinesis-save-fails").writeText(to: &text, isASCII: isASCII)
        return text
    }
}
