import TerminalCanvas

/// The picture after a fault of the inspector: the failed screen, the place of the fault, and the way to report it. It does not use the
/// model, which the fault may have left inconsistent.
package struct FailedFrame {
    private let screen: String
    private let trace: String

    /// - Parameters:
    ///   - screen: The title of the screen that was shown.
    ///   - trace: The calls that led to the fault.
    package init(screen: String, trace: String) {
        self.screen = screen
        self.trace = trace
    }

    /// The picture's content in one sentence, for standard error.
    package var sentence: String { "The inspector failed while it showed \(screen), at \(trace)." }

    private var lines: [(text: String, role: Role)] {
        [
            ("The screen \(screen) failed, and the inspector has stopped.", .title),
            ("The inspected program continues: the fault is Hopscope's own.", .text),
            ("Please report it to Hopscope's authors with the keys that led here and this stack:", .text),
            (trace, .fault),
            ("q closes the inspector.", .key),
        ]
    }

    package func draw(on canvas: inout Canvas) {
        canvas.clear()
        var row = 0
        for line in lines {
            for text in WrappedText.lines(line.text, columns: max(1, canvas.size.columns - 2)) where row < canvas.size.rows {
                canvas.write(text, at: Point(column: 1, row: row), style: Style(line.role))
                row += 1
            }
            row += 1
        }
    }

    /// Shows the picture until the user closes it or the terminal closes.
    package func show(on terminal: any TerminalDriver) {
        while true {
            var canvas = terminal.makeCanvas()
            draw(on: &canvas)
            terminal.draw(canvas)
            switch terminal.nextInput(timeoutMilliseconds: nil) {
            case .key(.character("q")), .key(.escape), .terminate: return
            case .key, .mouse, .paste, .resize, .none: continue
            }
        }
    }
}
