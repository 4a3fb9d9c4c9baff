/// A format by its name, as `--to` accepts it.
package struct ExportFormat: RawRepresentable, CaseIterable, Hashable, Sendable {
    private static let all: [any Export.Type] = [
        PerfettoExport.self, OTLPExport.self, DOTExport.self, MermaidExport.self, JSONLinesExport.self, TablesExport.self,
        PprofExport.self, FoldedExport.self,
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
    /// Whether it writes the samples of a profile, if there is one.
    package var takesProfile: Bool { export.takesProfile }
    /// Whether it writes the samples of a profile, so that a trace without a profile has nothing to write.
    package var needsProfile: Bool { export.needsProfile }
}

extension Exporter {
    /// The bytes of a format that is no text; nil for text.
    package func bytes(_ format: ExportFormat) -> [UInt8]? { format.export.init(trace: self).bytes }

    package func write(_ format: ExportFormat, to output: inout some TextOutputStream) {
        format.export.init(trace: self).write(to: &output)
    }
}
