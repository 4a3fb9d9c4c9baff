import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

extension OverviewScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        drawFindings(shared, on: &canvas)
        drawPanels(shared, on: &canvas)
        drawEvents(shared, on: &canvas)
        if let rule = areas.rule { canvas.verticalLine(at: rule.origin, rows: rule.rows) }
    }

    private func title(_ text: String, _ more: String = "", in rect: Rect, on canvas: inout Canvas) {
        canvas.write([Span(" " + text, .title, .bold), Span("  " + more, .dim)], at: rect.origin, end: rect.right - 1)
    }

    // MARK: Findings

    private func drawFindings(_ shared: SharedState, on canvas: inout Canvas) {
        let groups = shared.findings.groups
        let kinds = findings.count > findings.height ? "\(CountText.text(groups.count)) kinds" : ""
        let more = [kinds, waiting(shared)].filter { !$0.isEmpty }.joined(separator: "; ")
        title("Needs attention", more, in: areas.findingsTitle, on: &canvas)
        guard !groups.isEmpty || !shownWaits.isEmpty else {
            let glyph: Span? =
                if shared.history.latest.failedMain != nil {
                    Span("\(Character(shared.glyphs[DisplayedState.faulted.canvasGlyph])) ", .faulted)
                } else if shared.findings.list?.suppressedCount == 0, !shared.store.isSampled, waits.stillSince == nil,
                    openAtEnd(shared) == 0, tooNew(shared) == 0, shared.history.latest.lostCount == 0,
                    shared.history.latest.eventCount > 0
                {
                    Span("\(Character(shared.glyphs[DisplayedState.succeeded.canvasGlyph])) ", .good)
                } else {
                    nil
                }
            canvas.write(
                (glyph.map { [$0] } ?? []) + [Span(calm(shared), .dim)], at: areas.findings.origin.moved(columns: 1),
                end: areas.findings.right - 1)
            return
        }
        findings.draw(on: &canvas) { row, rowArea, canvas in
            let (finding, line) = areas.findingLines[row]
            guard finding < groups.count + shownWaits.count else { return }
            let group = finding < groups.count ? groups[finding] : nil
            let text = group.map { sentence($0, shared) } ?? sentence(shownWaits[finding - groups.count], shared)
            let rows = areas.lineCount(ofFinding: finding)
            let place = group.map { site(of: $0, shared) } ?? shownWaits[finding - groups.count].site
            let lines = WrappedText.lines(text, keeping: place, columns: rowArea.columns - 4, rows: rows, shared.glyphs)
            guard lines.indices.contains(line) else { return }
            canvas.write(lines[line], at: rowArea.origin.moved(columns: 3), style: .text, limit: rowArea.columns - 4)
            guard line == 0 else { return }
            guard let group else {
                let role: Role = shownWaits[finding - groups.count].isLong(in: shared.store) ? .warning : .dim
                canvas.put(DisplayedState.suspended.canvasGlyph, at: rowArea.origin.moved(columns: 1), style: Style(role))
                return
            }
            canvas.put(group.severity.canvasGlyph, at: rowArea.origin.moved(columns: 1), style: Style(group.severity.role, .bold))
            if group.count > 1 {
                canvas.write(count(group), at: rowArea.origin.moved(columns: 3), style: Style(group.severity.role, .bold))
            }
        }
    }

    /// `2x `, for several findings.
    private func count(_ group: WarningGroup) -> String { group.count > 1 ? "\(CountText.text(group.count))x " : "" }

    /// The sentence of a group's first finding, and its place if the sentence does not have it.
    func sentence(_ group: WarningGroup, _ shared: SharedState) -> String {
        guard let list = shared.findings.list else { return count(group) }
        let store = shared.history.latest
        let text = shared.sentence(list.message(of: group.first, in: store, isASCII: shared.isASCII))
        guard let site = site(of: group, shared), !text.contains(site) else { return count(group) + text }
        return "\(count(group))\(text) \(site)"
    }

    private func site(of group: WarningGroup, _ shared: SharedState) -> String? {
        let site = shared.findings.list?.site(of: group.first, in: shared.history.latest)
        return site?.split(separator: "/").last.map(String.init)
    }

    func sentence(_ wait: LongWaits.Group, _ shared: SharedState) -> String {
        let text = wait.text(in: shared.store, at: shared.timeOfFindings, isASCII: shared.isASCII)
        return shared.sentence(shared.isAtEnd && wait.isWait ? "The trace ends while \(text)" : text)
    }

    /// `No rule fired; 2 tasks wait, the longest 22.0 s: w`. Empty if none does.
    private func waiting(_ shared: SharedState) -> String {
        let all = waits.groups.filter { $0.cause != nil }
        let ofTasks = all.filter { !$0.isOfBlocks }
        let waits = ofTasks.isEmpty ? all : ofTasks
        guard let first = waits.first else { return "" }
        let count = waits.reduce(0) { $0 + $1.count }
        let time = shared.elapsedBesideFindings(since: first.since, of: first.task)
        let noun = ofTasks.isEmpty ? "block" : "task"
        let verb = shared.isOver ? "waited at the end" : count == 1 ? "waits" : "wait"
        let tasks = "\(CountText.text(count, noun)) \(verb), \(count == 1 ? "for" : "the longest") \(time): w"
        let isNoneFound = shared.findings.groups.isEmpty && shared.findings.list?.suppressedCount == 0
        return isNoneFound ? "No rule fired; \(tasks)" : tasks
    }

    /// The words for no finding, or the number of the suppressed ones.
    private func none(_ words: String, _ shared: SharedState) -> String {
        let suppressed = shared.findings.list?.suppressedCount ?? 0
        return suppressed == 0 ? words : "\(CountText.text(suppressed, "finding")) suppressed"
    }

    private func calm(_ shared: SharedState) -> String {
        guard shared.findings.list != nil else { return "Looking at what has happened." }
        guard shared.history.latest.eventCount > 0 else {
            return shared.isOver ? "The program ended without an event." : "Nothing has happened yet that a rule could look at."
        }
        let unchecked = shared.findings.list?.checks.uncheckedText.map { " Not checked: \($0)." } ?? ""
        guard !shared.store.isSampled else {
            return none("No finding", shared) + ". Press w on a task: it names the cause of its wait." + unchecked
        }
        let faults = shared.faults.count
        // Only these rules look for unread errors. One that is switched off, or whose finding is suppressed, has reported nothing.
        let looked = shared.findings.list?.checks.filter { ["unobserved-fault", "swallowed-error"].contains($0.rule) && $0.isChecked }
        let isKnown = looked?.count == 2 && shared.findings.list?.suppressedCount == 0
        if let since = waits.stillSince {
            let time = shared.duration(shared.store.now > since ? shared.store.now - since : 0)
            return none("No rule has fired", shared) + ", but nothing has happened for \(time): the program is idle, or it hangs."
        }
        if let main = shared.history.latest.failedMain {
            let error = shared.history.latest.entries.error(main.error)
            let site = error.map(\.site) ?? ""
            let place = site.isEmpty ? "" : ", thrown in \(PrintableText.text(site))"
            return "An error of main ended the program: \(ErrorText.text(error))\(place)."
        }
        let open = openAtEnd(shared)
        guard open == 0 else {
            let tasks = "\(CountText.text(open, "task")) \(open == 1 ? "was" : "were") open at the end"
            return none("No rule found anything", shared) + ", but \(tasks): w tells why one waits."
        }
        let older = tooNew(shared)
        guard older == 0 else {
            let tasks = "\(CountText.text(older, "task")) \(older == 1 ? "was" : "were") there before"
            return none("No rule has fired", shared) + ", but \(tasks): long waits show after 2 s."
        }
        let nothingFound = shared.isOver ? "No rule found anything" : "No rule has found anything so far"
        let lost = shared.history.latest.lostCount
        guard lost == 0 else {
            let events = "\(CountText.text(lost, "event")) \(lost == 1 ? "was" : "were") lost"
            return none(nothingFound, shared) + ", but \(events)."
        }
        let errors = faults > 0 ? " \(CountText.text(faults, "fault"))\(isKnown ? ", none of them unread" : "")." : ""
        return none(nothingFound, shared) + "." + (unchecked.isEmpty ? errors : unchecked)
    }

    /// The tasks that had not ended at the end of a trace. They may hang, or wait as they should: no trace tells.
    private func openAtEnd(_ shared: SharedState) -> Int { shared.isOver ? shared.history.latest.openCount : 0 }

    /// The tasks that were there before the recording, while it is too short to show a long wait of theirs.
    private func tooNew(_ shared: SharedState) -> Int {
        shared.isOver || shared.store.now >= LongWaits.least ? 0 : shared.history.latest.adoptedCount
    }

    // MARK: Executors

    private func drawPanels(_ shared: SharedState, on canvas: inout Canvas) {
        title("Executors", "", in: areas.panelsTitle, on: &canvas)
        guard !order.ids.isEmpty else {
            let text = shared.withoutExecutors("No executor has had a job yet.")
            canvas.write(text, at: areas.quiet.origin.moved(columns: 1), style: Style(.dim), limit: areas.quiet.columns - 1)
            return
        }
        let shown = panels.rows.compactMap { executor($0, of: order.waited, shared) }
        let scale = DepthChart.scale(of: shown, in: shared.store)
        var sites: Set<String> = []
        panels.draw(on: &canvas) { row, rowArea, canvas in
            guard let executor = executor(row, of: order.waited, shared) else { return }
            var panel = OverviewPanel(executor: executor, cause: cause(of: executor.id), shared: shared, scale: scale)
            panel.isSourceAbove = panel.longestSite.map { !sites.insert($0).inserted } ?? false
            panel.draw(in: rowArea, on: &canvas)
        }
        for (pane, part) in [(main, order.quietMains), (quiet, order.others)] {
            pane.draw(on: &canvas) { row, rowArea, canvas in
                guard let executor = executor(row, of: part, shared) else { return }
                OverviewPanel(executor: executor, cause: nil, shared: shared).drawLine(in: rowArea, on: &canvas)
            }
        }
    }

    private func executor(_ row: Int, of part: Range<Int>, _ shared: SharedState) -> ExecutorView? {
        row < part.count ? shared.store.executor(order.ids[part.lowerBound + row]) : nil
    }

    // MARK: Latest events

    private func drawEvents(_ shared: SharedState, on canvas: inout Canvas) {
        guard !areas.events.isEmpty else { return }
        let history = shared.history
        title(history.isAtLatest ? "What happened last" : "What happened up to this event", in: areas.eventsTitle, on: &canvas)
        let words = shared.eventWords
        for (row, number) in history.latestEvents(areas.events.rows).enumerated() {
            guard let event = history.event(number: number)?.event else { continue }
            let name = words.subject(of: event)?.fittingName(max(20, areas.events.columns * 2 / 5), shared.glyphs)
            let subject = name.map { [Span($0 + " ")] } ?? []
            let head = [Span(ClockText.milliseconds(event.time) + "  ", .dim)]
            canvas.write(
                head + subject + [Span(words.predicate(of: event), event.kind?.role ?? .dim)],
                at: areas.events.row(row).origin.moved(columns: 1), end: areas.events.right - 1)
        }
    }
}
