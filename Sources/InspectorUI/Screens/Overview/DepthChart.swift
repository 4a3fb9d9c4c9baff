import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws the mean depth of an executor's queue over time, with a mark at the greatest depth, the scale at the left and the times below.
struct DepthChart {
    let executor: ExecutorView
    let shared: SharedState
    /// The depth at the top of the picture, at least the greatest one shown.
    var scale = 1

    /// The greatest depth among all pictures, so that one job in a queue does not look like a hundred in another.
    static func scale(of executors: some Sequence<ExecutorView>, in store: TraceStore) -> Int {
        executors.reduce(1) { max($0, Int($1.depthHistory.depths(until: store.now).max() ?? 0)) }
    }

    private var store: TraceStore { shared.store }

    /// The number of values of a history that are shown. A short trace also fills the width.
    static func knownCount(_ store: TraceStore) -> Int {
        Int(min(UInt64(DepthHistory.bucketCount), max(10, store.now / DepthHistory.bucketNanoseconds + 1)))
    }

    /// Whether a sentence stands for the picture, because the queue was empty all the time.
    var isSentence: Bool { executor.maxDepth == 0 || !executor.depthHistory.depths(until: store.now).contains { $0 > 0 } }

    func draw(in rect: Rect, on canvas: inout Canvas) {
        guard executor.maxDepth > 0 else {
            canvas.write("no job has waited", at: rect.origin.moved(columns: 3), style: Style(.dim), limit: rect.columns - 3)
            return
        }
        let depths = executor.depthHistory.depths(until: store.now).map(Int.init)
        let known = Self.knownCount(store)
        let shown = depths.suffix(known)
        let seconds = UInt64(known) * DepthHistory.bucketNanoseconds
        guard shown.contains(where: { $0 > 0 }) else {
            let text = WrappedText.lines("no job has waited for \(seconds / 1_000_000_000) s", columns: rect.columns - 4)
            for (row, line) in text.prefix(rect.rows).enumerated() {
                canvas.write(line, at: rect.row(row).origin.moved(columns: 3), style: Style(.dim), limit: rect.columns - 3)
            }
            return
        }
        let peak = max(scale, shown.max() ?? 1)
        let labels = max(CountText.text(peak).count, 1)
        let picture = Rect(
            column: rect.left + 3 + labels + 1, row: rect.top, columns: max(0, rect.columns - labels - 5), rows: max(0, rect.rows - 1))
        let left = rect.left + 2
        canvas.write(CountText.text(peak), at: Point(column: left, row: rect.top), style: Style(.dim), limit: labels, align: .right)
        if picture.rows > 1 {
            canvas.write("0", at: Point(column: left, row: picture.bottom - 1), style: Style(.dim), limit: labels, align: .right)
        }
        for row in picture.top..<picture.bottom {
            canvas.put(.teeLeft, at: Point(column: picture.left - 1, row: row), style: Style(.border))
        }
        let means = executor.depthHistory.means(until: store.now).suffix(known).map { Int(($0 * Self.precision).rounded()) }
        let columns = means.stretched(to: picture.columns)
        canvas.chart(columns, peak: peak * Int(Self.precision), in: picture, style: Style(.queued))
        markPeak(shown.stretched(to: picture.columns), above: columns, of: peak, in: picture, on: &canvas)
        let past = "-\(seconds / 1_000_000_000).\(seconds / 100_000_000 % 10) s"
        let now = shared.history.isAtLatest && !shared.isOver ? "now" : ClockText.text(store.now)
        let axis = Point(column: picture.left, row: picture.bottom)
        canvas.write(past, at: axis, style: Style(.dim), limit: picture.columns)
        let middle = "jobs in the queue"
        if picture.columns >= past.count + now.count + middle.count + 4 {
            canvas.write(middle, at: axis, style: Style(.dim), limit: picture.columns, align: .center)
        }
        canvas.write(now, at: axis.moved(columns: max(0, picture.columns - now.count)), style: Style(.dim))
    }
}

extension DepthChart {
    /// Means are drawn as whole numbers of this part of a job.
    private static let precision = 1000.0

    /// Marks the greatest depth where it was last, if the mean is lower.
    private func markPeak(_ depths: [Int], above means: [Int], of peak: Int, in picture: Rect, on canvas: inout Canvas) {
        guard let greatest = depths.max(), greatest > 0, picture.rows > 0 else { return }
        let row = max(0, min(picture.rows - 1, (greatest * picture.rows + peak - 1) / peak - 1))
        guard let column = depths.lastIndex(of: greatest), means.indices.contains(column) else { return }
        // The mean's bar may reach this row.
        guard Double(means[column]) / Self.precision * Double(picture.rows) <= Double(row * peak) else { return }
        canvas.put(.separator, at: Point(column: picture.left + column, row: picture.bottom - 1 - row), style: Style(.queued))
    }
}

extension Collection<Int> {
    /// The values spread over a number of columns. Each column has the greatest of its values.
    func stretched(to columns: Int) -> [Int] {
        let values = Array(self)
        guard !values.isEmpty, columns > 0 else { return [] }
        return (0..<columns).map { column in
            let first = column * values.count / columns
            return values[first..<Swift.max(first + 1, (column + 1) * values.count / columns)].max() ?? 0
        }
    }
}
