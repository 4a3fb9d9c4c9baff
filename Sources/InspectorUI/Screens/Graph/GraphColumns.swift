/// The columns of a row of rails. Text columns count from the left edge of the list and move with the horizontal scroll.
struct GraphColumns {
    let rails: Range<Int>
    let name: Range<Int>
    /// The executor from which a job came. Empty if there is no room for it.
    let from: Range<Int>
    let executor: Range<Int>
    let duration: Range<Int>
    let state: Range<Int>
    let words: Range<Int>

    init(width: Int, lanes: Int, pan: Int) {
        let isWide = width >= 100
        // On a terminal so narrow that states would be cut, rails and executors get less room.
        let isNarrow = width < 80
        let rails = min(max(3, lanes) * 2, isNarrow ? width / 4 : width / 3)
        let widths = (from: isWide ? 10 : 0, executor: isWide ? 12 : isNarrow ? 9 : 11, duration: 8, state: 11)
        let fixed = 1 + rails + 1 + widths.from + widths.executor + 1 + widths.duration + 2 + widths.state
        // The name takes two fifths, and the words take the rest. Scrolling sideways reveals words that do not fit.
        let free = width - fixed - 4
        let hasWords = free >= 18 + 12
        let name = hasWords ? max(18, min(34, free * 2 / 5)) : max(10, free + 2)

        self.rails = 1..<1 + rails
        var start = 1 + rails + 1 - pan
        func take(_ columns: Int, gap: Int) -> Range<Int> {
            defer { start += columns + gap }
            return start..<start + columns
        }
        self.name = take(name, gap: widths.from > 0 ? 0 : 1)
        from = take(widths.from, gap: widths.from > 0 ? 1 : 0)
        executor = take(widths.executor - (widths.from > 0 ? 1 : 0), gap: 1)
        duration = take(widths.duration, gap: 2)
        state = take(widths.state, gap: 2)
        self.words = start..<max(start + (pan > 0 ? 80 : 0), width - 1)
    }
}
