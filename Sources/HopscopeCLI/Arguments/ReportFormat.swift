import ArgumentParser
import TraceReport

/// The format of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension Report {
    func write(_ format: ReportFormat, to output: inout some TextOutputStream) {
        switch format {
        case .text: writeText(to: &output, isASCII: !StandardOutput.showsUnicode)
        case .json: writeJSON(to: &output)
        }
    }
}
