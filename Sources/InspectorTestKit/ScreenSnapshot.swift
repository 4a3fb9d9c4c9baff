import Foundation
import TerminalCanvas
import TraceTestKit

/// Compares a canvas with a text file that a developer has reviewed: its characters, then the style of every cell.
///
/// If the file does not exist, or if `HOPSCOPE_RECORD=1` is set, the comparison writes the file and fails. A snapshot counts only after a
/// developer has reviewed it and run the test again.
package struct ScreenSnapshot {
    private let directory: URL

    /// - Parameter testFile: the caller's `#filePath`; the files are in `Snapshots` beside it.
    package init(besideTest testFile: StaticString = #filePath) {
        directory = URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent().appendingPathComponent("Snapshots")
    }

    package init(in folder: ScratchFolder) {
        directory = URL(fileURLWithPath: folder.path)
    }

    /// Nil if the canvas equals the file. Otherwise, the message of the failure.
    package func difference(of canvas: Canvas, from name: String) -> String? {
        let file = directory.appendingPathComponent(name + ".txt")
        let shown = Self.text(of: canvas)
        let known = try? String(contentsOf: file, encoding: .utf8)
        if known == shown, !Self.isRecording { return nil }
        guard let known, !Self.isRecording else {
            do {
                try shown.write(to: file, atomically: true, encoding: .utf8)
                return "\(name) was recorded. Look at \(file.path), then run the test again.\n\(shown)"
            } catch {
                return "\(name) could not be recorded: \(error)"
            }
        }
        return "\(name) is not as it was recorded. Recorded:\n\(known)\nNow:\n\(shown)"
    }

    private static var isRecording: Bool {
        ProcessInfo.processInfo.environment["HOPSCOPE_RECORD"] == "1"
    }

    /// The rows between two rulers, which make a blank or missing row visible, then the styles.
    private static func text(of canvas: Canvas) -> String {
        let ruler = "+" + String(repeating: "-", count: canvas.size.columns) + "\n"
        return ruler + canvas.lines().map { "|\($0)\n" }.joined() + ruler + styles(of: canvas)
    }

    /// One line per row, `3: running 2, text 10, dim+selected 68`: the number of cells of each style, from left to right. Consecutive rows
    /// with equal styles share a line, `4-6: …`.
    private static func styles(of canvas: Canvas) -> String {
        var groups: [(rows: ClosedRange<Int>, runs: String)] = []
        for row in 0..<canvas.size.rows {
            let runs = runs(of: (0..<canvas.size.columns).map { canvas[Point(column: $0, row: row)].style })
            if let last = groups.last, last.runs == runs {
                groups[groups.count - 1].rows = last.rows.lowerBound...row
            } else {
                groups.append((row...row, runs))
            }
        }
        return groups.map { rows, runs in
            let last = rows.count == 1 ? "" : "-\(rows.upperBound + 1)"
            return "\(rows.lowerBound + 1)\(last): \(runs)\n"
        }.joined()
    }

    private static func runs(of styles: [Style]) -> String {
        var rest = styles[...]
        var runs: [String] = []
        while let style = rest.first {
            let run = rest.prefix { $0 == style }
            runs.append("\(name(of: style)) \(run.count)")
            rest = rest.dropFirst(run.count)
        }
        return runs.joined(separator: ", ")
    }

    private static func name(of style: Style) -> String {
        let names: [(Emphasis, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reversed, "reversed"), (.selected, "selected"),
            (.changed, "changed"),
        ]
        return "\(style.role)" + names.filter { style.emphasis.contains($0.0) }.map { "+" + $0.1 }.joined()
    }
}
