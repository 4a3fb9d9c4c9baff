/// A format by its name, as `--to` accepts it.
package struct ExportFormat: RawRepresentable, CaseIterable, Hashable, Sendable {
    private static let all: [any Export.Type] = [
        PerfettoExport.self, OTLPExport.self, DOTExport.self, MermaidExport.self, JSONLinesExport.self, TablesExport.self,
    ]

    package static let allCases = all.map(ExportFormat.init)

    fileprivate let export: any Export.Type

    private init(_ export: any Export.Type) {
        self.export = export
    }

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    package var rawValue: String { export.name }
    package var summary: String { export.summary }
}

extension Exporter {
    package func write(_ format: ExportFormat, to output: inout some TextOutputStream) {
        format.export.init(trace: self).write(to: &output)
    }
}
