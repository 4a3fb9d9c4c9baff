import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// A line of the detail screen. A click on a task's line opens that task.
struct DetailLine {
    var spans: [Span] = []
    var task: TaskID?
    /// Rails drawn at the left of the line.
    var rails: RailsRow?
    /// A share in thousandths, drawn after the text as a number and a bar.
    var share: Int?
}

/// The description of one task, section by section.
struct DetailLines {
    let task: TaskView
    /// The path of the error that the task ended with or took.
    let fault: FaultPath?
    /// The links of the chain that the task waits for.
    let wait: [Wait]
    /// The rows of the chain around the task.
    let rows: [RailsRow]
    /// The number of tasks of the chain that have no row.
    let unlistedCount: Int
    let numberedEvents: [NumberedEvent]
    /// The room for a line.
    let columns: Int
    let shared: SharedState

    private var store: TraceStore { shared.store }
    private var words: TaskWords { TaskWords(shared.store) }

    func all() -> [DetailLine] {
        let sections = [
            section("Times", times()), section("Why it waits", waits()), section("Executor", executor()), section("Awaits", calls()),
            section("Error", error()), section("Warnings", warnings()), section("Before and after", links()), section("Chain", chain()),
            section("Latest events", events()),
        ]
        return Array(sections.joined(separator: [DetailLine()])).collapsingBlankLines()
    }

    private func section(_ title: String, _ lines: [DetailLine]) -> [DetailLine] {
        lines.isEmpty ? [] : [DetailLine(spans: [Span(" " + title, .title, .bold)])] + lines
    }

    private func fact(_ name: String, _ spans: [Span], task: TaskID? = nil, share: Int? = nil) -> DetailLine {
        let padding = String(repeating: " ", count: max(1, 12 - name.count))
        return DetailLine(spans: [Span("  " + name + padding, .dim)] + spans, task: task, share: share)
    }

    private func duration(_ nanoseconds: UInt64?) -> String {
        padded(shared.duration(nanoseconds))
    }

    private func padded(_ text: String) -> String {
        String(repeating: " ", count: max(0, 9 - CharacterWidth.of(text))) + text
    }

    // MARK: Sections

    private func times() -> [DetailLine] {
        var lines: [DetailLine] = []
        // A task that was there before the trace began is first seen, not made.
        let isOlder = store.isSampled || task.isAdopted
        let start = isOlder ? task.firstKnown : task.created
        if let start { lines.append(fact(isOlder ? "first seen" : "created", [Span(" " + ClockText.precise(start))])) }
        let moments = [("queued", task.queued), ("started", task.started), ("ended", task.ended)]
        // A task that began inline can be queued later.
        for (name, time) in moments.compactMap({ name, time in time.map { (name, $0) } }).sorted(by: { $0.1 < $1.1 }) {
            let after = start.map { time > $0 ? time - $0 : 0 }
            var spans = [Span(" " + ClockText.precise(time))]
            if let after { spans.append(Span("  \(shared.duration(after)) after \(isOlder ? "that" : "its creation")", .dim)) }
            lines.append(fact(name, spans))
        }
        guard let total = task.total(at: store.now) else { return lines }
        lines.append(fact(isOlder ? "since then" : "total", [Span(duration(total))]))
        for (name, spent) in [("busy", task.busy), ("in queue", task.queuedTime), ("suspended", task.suspendedTime)] {
            guard let spent, spent > 0 else { continue }
            let share = total == 0 ? 0 : Int(min(1000, (Double(spent) / Double(total) * 1000).rounded()))
            lines.append(fact(name, [Span(duration(spent))], share: share))
        }
        return lines + memory()
    }

    private func memory() -> [DetailLine] {
        task.memory.map { [fact("memory", [Span(padded(SizeText.text($0)))])] } ?? []
    }

    private func executor() -> [DetailLine] {
        guard task.executor != .none else {
            // The trace names a Swift task's executor when the task first enters a queue or runs.
            let hasRun = task.state == .running || task.state == .suspended
            let unknown = hasRun ? "not known" : "not known: it has not run"
            let none = task.started == nil ? "none: a \(task.kind.name) runs no body" : "none of the chain's: its operation is asynchronous"
            let reason = task.kind.isOfSwift ? unknown : none
            return [DetailLine(spans: [Span("  \(reason)", .dim)])]
        }
        let description = store.description(of: task.executor)
        let manner: String
        switch task.startManner {
        // Some of the runtime's own tasks begin to run without an event of their queue.
        case .dequeued, .slice: manner = task.queued == nil ? "" : "through its queue"
        case .inline:
            manner = task.continued == nil ? "inline, through no queue" : "inline, on the thread that completed what it continues"
        case nil: manner = task.isSkipped ? "not touched: the task was skipped" : "its body has not begun"
        }
        var lines = [
            // A kind that only repeats the name adds nothing.
            fact(
                words.name(task.executor),
                [Span(description.kind.name == description.name ? " " : " \(description.kind.name)  ", .dim), Span(manner)])
        ]
        let hops = HopAnalysis(store)
        for hop in task.hops.prefix(8) {
            let arrow = String(Character(shared.glyphs[.arrow]))
            let path = "\(hop.from == .none ? "a thread of none" : words.name(hop.from)) \(arrow) \(words.name(hop.to))"
            let wait = hop.wait.map { "  waited \(shared.duration($0))" } ?? (hops.isWaiting(hop) ? "  waits" : "")
            lines.append(
                fact(
                    "hop",
                    [
                        Span(" " + path, store.role(ofHopFrom: hop.from, to: hop.to)), Span(wait),
                        Span("  \(hops.hopClass(of: hop).name)", .dim),
                    ]))
        }
        return lines
    }

    /// The findings for the task.
    private func warnings() -> [DetailLine] {
        guard let list = shared.findings.list else { return [] }
        return shared.findings.index.findings(of: task.id).prefix(8).flatMap { finding in
            let message = shared.sentence(list.message(of: finding, in: shared.history.latest, isASCII: shared.isASCII))
            return [DetailLine(spans: [Span("  \(finding.rule)", finding.severity.role, .bold)])]
                + WrappedText.lines(message, columns: columns - 6).map { DetailLine(spans: [Span("    \($0)")]) }
        }
    }

    /// The links of the chain that the task waits for, with one text each.
    private func waits() -> [DetailLine] {
        wait.flatMap { link in
            let text = WrappedText.lines(link.text, columns: columns - 6)
            let name = link.name.isEmpty ? [] : [DetailLine(spans: [Span("  \(link.name)")], task: link.task)]
            return name + text.map { DetailLine(spans: [Span("    \($0)", .dim)], task: link.task) }
        }
    }

    /// The asynchronous calls of a suspended task, the innermost first.
    private func calls() -> [DetailLine] {
        store.entries.calls(of: task.awaitedCalls).enumerated().flatMap { number, call in
            let site = call.site.isEmpty ? "" : "  \(PrintableText.text(call.site))"
            let room = max(12, columns - 16 - CharacterWidth.of(site))
            let function = PrintableText.text(call.function).fittingName(room, shared.glyphs)
            let line = fact(number == 0 ? "in" : "called by", [Span(" " + function), Span(site, .dim)])
            return [line] + (call.isOfDependency ? [] : source(call.site, margin: number == 0 ? 2 : 0))
        }
    }

    /// The line of source at a place, with the lines around it if `margin` is more than 0.
    private func source(_ site: String, margin: Int = 0) -> [DetailLine] {
        guard let excerpt = shared.excerpt(at: site, margin: margin) else { return [] }
        let rows = margin == 0 || excerpt.lines.isEmpty ? [excerpt.line(shared.glyphs)] : excerpt.rows(shared.glyphs)
        return rows.map { DetailLine(spans: [Span(String(repeating: " ", count: 14))] + $0) }
    }

    private func error() -> [DetailLine] {
        var lines: [DetailLine] = []
        let path = fault
        if let error = words.error(of: task) ?? path.map({ ErrorText.text(store.entries.error($0.error)) }) {
            lines.append(fact("error", [Span(" " + error, .fault)]))
        }
        if let site = store.entries.error(task.error)?.site, !site.isEmpty {
            lines.append(fact("thrown in", [Span(" " + PrintableText.text(site))]))
            lines += source(site)
        }
        if task.isAskedToStop, task.state != .cancelled {
            let name = shared.name(of: task.asker).fittingName(max(12, columns - 30), shared.glyphs)
            let asker = task.asker == .none ? "" : ", by \(name)"
            let isLate = task.requestedCancellation.map { $0.at > task.ended ?? .max } ?? false
            let when = isLate ? "after it had ended" : task.state.hasEnded ? "before it ended" : "and has not ended"
            lines.append(fact("cancelled", [Span(" \(when)\(asker)")], task: task.asker == .none ? nil : task.asker))
        }
        lines += shield()
        if let role = FaultAnalysis(store).role(of: task), let text = words.role(role, of: task) {
            lines.append(fact("role", telling(role.name, text, .text)))
        }
        if let text = CancellationText.text(task) {
            lines.append(fact("cancelled", [Span(" " + text)], task: task.cancelledBy == .none ? nil : task.cancelledBy))
        }
        guard let path else { return lines }
        lines.append(fact("verdict", telling(path.verdict.name, path.verdict.sentence, path.verdict.role)))
        for (index, step) in path.steps.prefix(12).enumerated() {
            let name = shared.name(of: step.task)
            let site = step.site(in: store)
            let role = (step.role?.name ?? "not ended") + (site.isEmpty ? "" : " in \(PrintableText.text(site))")
            let isHere = step.task == task.id
            lines.append(
                fact(
                    index == 0 ? "path" : "",
                    [
                        Span((isHere ? "\(Character(shared.glyphs[.folded]))" : " ") + name, .text, isHere ? .bold : []),
                        Span("  " + role, .dim),
                    ], task: step.task))
        }
        if path.steps.count > 12 { lines.append(fact("", [Span(" and \(CountText.text(path.steps.count - 12)) more", .dim)])) }
        return lines
    }

    /// The cancellation shield that the task is in, or was in after its cancellation had been requested.
    private func shield() -> [DetailLine] {
        guard let shield = task.shield else {
            let time = task.shieldedTime
            return time == 0 ? [] : [fact("shielded", [Span(" for \(shared.duration(time)) after the request")])]
        }
        let since = " since \(ClockText.precise(shield.since))"
        guard let place = task.shieldPlace else { return [fact("shielded", [Span(since)])] }
        let site = place.site.isEmpty ? "" : "  \(PrintableText.text(place.site))"
        return [fact("shielded", [Span("\(since) in \(PrintableText.text(place.name))\(site)")])]
    }

    /// The word from reports and a sentence, or only the sentence if it contains the word.
    private func telling(_ word: String, _ sentence: String, _ role: Role) -> [Span] {
        if sentence.contains(word) { return [Span(" " + sentence, role)] }
        return [Span(" " + word, role), Span("  " + sentence, .dim)]
    }

    private func links() -> [DetailLine] {
        let before = task.links(limit: 9)
        let after = Array(task.successors.prefix(9))
        let antecedent = task.state == .pending ? "waits for" : "follows"
        return list(task.kind.isOfSwift ? "made by" : antecedent, before.map(\.antecedent)) { before[$0].isInner ? "its body's task" : "" }
            + list(task.state.hasEnded ? "awaited" : "awaits", Array(task.awaited.suffix(9))) { _ in "" }
            + list("resumed by", latest(task.resumers)) { _ in "" }
            + list(task.kind.isOfSwift ? "made" : "leads to", after) { _ in "" }
            + list(task.id.isBlock ? "resumed" : "awaited by", Array(task.awaiters.prefix(9))) { _ in "" }
    }

    /// The latest nine, each once: two tasks may resume a third one in turns.
    private func latest(_ tasks: some Sequence<TaskID>) -> [TaskID] {
        var latest: [TaskID] = []
        for task in tasks.reversed() where latest.count < 9 && !latest.contains(task) { latest.append(task) }
        return latest.reversed()
    }

    private func list(_ name: String, _ tasks: [TaskID], _ remark: (Int) -> String) -> [DetailLine] {
        var lines: [DetailLine] = []
        for (index, id) in tasks.prefix(8).enumerated() {
            var spans: [Span] = []
            if let other = store.task(id) {
                spans.append(shared.span(of: DisplayedState(other), after: "  "))
            } else {
                spans.append(Span("  not kept any more", .dim))
            }
            if !remark(index).isEmpty { spans.append(Span("  " + remark(index), .dim)) }
            // A long name leaves room for the state.
            let room = columns - 16 - spans.reduce(0) { $0 + $1.width }
            spans.insert(Span(" " + shared.name(of: id).fittingName(max(12, room), shared.glyphs)), at: 0)
            lines.append(fact(index == 0 ? name : "", spans, task: id))
        }
        if tasks.count > 8 { lines.append(fact("", [Span(" and more", .dim)])) }
        return lines
    }

    private func chain() -> [DetailLine] {
        let more = unlistedCount > 0 ? [DetailLine(spans: [Span("  and \(CountText.text(unlistedCount)) more in the chain", .dim)])] : []
        return rows.map { DetailLine(task: $0.task, rails: $0) } + more
    }

    private func events() -> [DetailLine] {
        numberedEvents.reversed().flatMap { numbered -> [DetailLine] in
            let event = numbered.event
            let time = "  \(ClockText.precise(event.time))  "
            let number = Span("  #\(CountText.text(numbered.number))", .dim)
            let room = columns - time.count - number.width - 1
            let text = WrappedText.lines(words.event(event, of: task.id), columns: room)
            return text.map { $0.fitting(max(12, room), shared.glyphs) }.enumerated().map { line, words in
                let start = line == 0 ? time : String(repeating: " ", count: time.count)
                return DetailLine(spans: [Span(start, .dim), Span(words)] + (line == text.count - 1 ? [number] : []))
            }
        }
    }
}

extension [DetailLine] {
    /// Without the gaps that empty sections leave.
    fileprivate func collapsingBlankLines() -> [DetailLine] {
        var lines: [DetailLine] = []
        for line in self {
            let isBlank = line.spans.isEmpty && line.rails == nil
            if isBlank, lines.last.map({ $0.spans.isEmpty && $0.rails == nil }) ?? true { continue }
            lines.append(line)
        }
        return lines
    }
}
