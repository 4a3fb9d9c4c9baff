import TerminalCanvas
import TraceAnalysis

/// The columns of the segments of a critical path. A narrow terminal has no bars.
struct PathColumns {
    private let barWidth: Int
    private let hasPeers: Bool

    private static let timeWidth = 9

    init(of columns: Int, hasPeers: Bool) {
        barWidth = columns < 70 ? 0 : columns < 110 ? 10 : 20
        self.hasPeers = hasPeers
    }

    private var shareColumn: Int { barWidth == 0 ? 1 : barWidth + 2 }
    private var timeColumn: Int { shareColumn + 6 }
    private var peersColumn: Int { timeColumn + Self.timeWidth + 2 }
    private var textColumn: Int { peersColumn + (hasPeers ? Self.timeWidth + 2 : 0) }

    func drawHeadings(at origin: Point, on canvas: inout Canvas) {
        let style = Style(.columnHeader)
        canvas.write("share", at: origin.moved(columns: shareColumn), style: style)
        canvas.write(rightAligned("time"), at: origin.moved(columns: timeColumn), style: style)
        if hasPeers { canvas.write(rightAligned("others"), at: origin.moved(columns: peersColumn), style: style) }
        canvas.write("what it was", at: origin.moved(columns: textColumn), style: style)
    }

    func draw(
        _ segment: TimeExplanation.Segment, of total: UInt64, _ words: TimeWords, _ shared: SharedState, in place: Rect,
        on canvas: inout Canvas
    ) {
        let share = total == 0 ? 0 : Double(segment.nanoseconds) / Double(total)
        drawBar(share, segment.kind.role, at: place.origin.moved(columns: 1), on: &canvas)
        let percent = "\(Int((share * 100).rounded())) %"
        canvas.write(
            String(repeating: " ", count: max(0, 5 - percent.count)) + percent, at: place.origin.moved(columns: shareColumn), style: .text)
        canvas.write(rightAligned(shared.duration(segment.nanoseconds)), at: place.origin.moved(columns: timeColumn), style: .text)
        if hasPeers, let median = segment.peersMedian {
            canvas.write(rightAligned(shared.duration(median)), at: place.origin.moved(columns: peersColumn), style: Style(.dim))
        }
        canvas.write(
            shared.sentence(words.phrase(segment)), at: place.origin.moved(columns: textColumn), style: Style(segment.kind.role),
            limit: max(0, place.columns - textColumn - 1))
    }

    private func drawBar(_ share: Double, _ role: Role, at origin: Point, on canvas: inout Canvas) {
        guard barWidth > 0 else { return }
        let filled = min(barWidth, Int((share * Double(barWidth)).rounded()))
        for column in 0..<filled { canvas.put(.bar8, at: origin.moved(columns: column), style: Style(role)) }
    }

    private func rightAligned(_ text: String) -> String { String(repeating: " ", count: max(0, Self.timeWidth - text.count)) + text }
}

extension CriticalPath.Segment.Kind {
    /// The role of a segment's bar and words.
    var role: Role {
        switch self {
        case .running, .onCPU: .running
        case .runnable: .warning
        case .blocked: .fault
        case .queued: .queued
        case .awaiting: .suspended
        }
    }
}
