/// Maps a time span to a number of columns.
package struct TimeScale: Hashable, Sendable {
    /// Nanoseconds from the trace's start.
    package let start: UInt64
    /// Nanoseconds, at least one per column.
    package let span: UInt64
    package let columns: Int

    package init(start: UInt64, span: UInt64, columns: Int) {
        self.columns = max(1, columns)
        self.span = max(span, UInt64(self.columns))
        self.start = start
    }

    /// The first nanosecond after the span.
    package var end: UInt64 {
        let (end, isOver) = start.addingReportingOverflow(span)
        return isOver ? .max : end
    }

    /// The column of a time. -1 or `columns` for a time outside the span.
    package func column(of time: UInt64) -> Int {
        if time < start { return -1 }
        if time >= end { return columns }
        return Int(Double(time - start) / Double(span) * Double(columns))
    }

    /// The first nanosecond of a column.
    package func time(of column: Int) -> UInt64 {
        start + UInt64((Double(column) / Double(columns) * Double(span)).rounded(.up))
    }

    /// Times at round steps, at least `least` columns apart.
    package func ticks(every least: Int) -> [UInt64] {
        let step = Self.round(above: UInt64(Double(span) / Double(columns) * Double(least)))
        var ticks: [UInt64] = []
        var time = (start + step - 1) / step * step
        while time < end, ticks.count < columns {
            ticks.append(time)
            time += step
        }
        return ticks
    }

    /// The smallest value of the form 1, 2 or 5 times a power of ten that is at least `nanoseconds`.
    package static func round(above nanoseconds: UInt64) -> UInt64 {
        var power: UInt64 = 1
        while power <= UInt64.max / 100 {
            for factor: UInt64 in [1, 2, 5] where power * factor >= nanoseconds { return power * factor }
            power *= 10
        }
        return power
    }
}
