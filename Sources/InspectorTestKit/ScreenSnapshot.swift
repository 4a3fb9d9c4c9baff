import Foundation
import TerminalCanvas

/// Compares what a canvas shows with a text file that a person has looked at.
///
/// With `HOPSCOPE_RECORD=1` in the environment, or where there is no file yet, the file is written, and the comparison still fails: a
/// snapshot counts only once somebody has read it and run the test again.
package struct ScreenSnapshot {
    private let directory: URL

    /// - Parameter testFile: the caller's `#filePath`; the files are in `Snapshots` beside it.
    package init(besideTest testFile: StaticString = #filePath) {
        directory = URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent().appendingPathComponent("Snapshots")
    }

    /// Nil if the canvas shows what the file has; else what to tell whoever runs the test.
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

    /// The rows between two rulers, so that a blank or a missing row is seen.
    private static func text(of canvas: Canvas) -> String {
        let ruler = "+" + String(repeating: "-", count: canvas.size.columns) + "\n"
        return ruler + canvas.lines().map { "|\($0)\n" }.joined() + ruler
    }
}
