import Glibc
import TaskEvents
import TraceAnalysis

extension SnapshotReport {
    /// Writes the tasks as a tree. Then writes the actors that are not idle, and the threads that run a task or block.
    ///
    /// - Parameter showsStacks: Whether each task and each thread is followed by its calls.
    package func writeText(to output: inout some TextOutputStream, isASCII: Bool, showsStacks: Bool) {
        let text = SnapshotText(self, isASCII: isASCII, showsStacks: showsStacks)
        for line in text.headline { output.write(line + "\n") }
        for node in SnapshotTree(snapshot, symbols).roots { text.write(node, "", "", &output) }
        text.section("Actors", text.actors, &output)
        text.section("Threads", text.threads, &output)
        text.section("Deadlocks", text.deadlocks, &output)
    }
}

/// The lines of a snapshot's text.
private struct SnapshotText {
    private let report: SnapshotReport
    private let snapshot: Snapshot
    private let symbols: SnapshotSymbols
    private let isASCII: Bool
    private let showsStacks: Bool
    /// The tasks in each group, by the group's address.
    private let children: [UInt64: [RemoteTask]]

    init(_ report: SnapshotReport, isASCII: Bool, showsStacks: Bool) {
        self.report = report
        (snapshot, symbols) = (report.snapshot, report.symbols)
        self.isASCII = isASCII
        self.showsStacks = showsStacks
        children = Dictionary(grouping: report.snapshot.tasks.filter { $0.group != 0 }, by: \.group)
    }

    var headline: [String] {
        let states: [RemoteTask.State] = [.running, .queued, .suspended, .pending, .changing]
        let counts = states.compactMap { state -> String? in
            let count = snapshot.tasks.count { $0.state == state }
            return count == 0 ? nil : "\(CountText.text(count)) \(state.rawValue)"
        }
        var words = ["\(PrintableText.text(report.program)) (\(snapshot.isCore ? "core of " : "")pid \(snapshot.pid))"]
        words.append(CountText.text(snapshot.tasks.count, "task") + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")))
        if let memory = memory(of: snapshot.tasks) { words.append("memory of tasks " + memory) }
        var lines = [words.joined(separator: "   ")]
        if !snapshot.timers.isEmpty {
            let isOne = snapshot.timers.count == 1
            let (are, wake) = isOne ? ("is", "it wakes a task that sleeps") : ("are", "they wake tasks that sleep")
            lines.append(
                "  \(CountText.text(snapshot.timers.count, "task")) of the runtime's own \(are) left out: \(wake).")
        }
        lines += snapshot.layout.notes.map { "  " + $0 }
        return lines
    }

    func section(_ title: String, _ lines: [String], _ output: inout some TextOutputStream) {
        guard !lines.isEmpty else { return }
        output.write("\n\(title)\n")
        for line in lines { output.write("  \(line)\n") }
    }

    // MARK: Tasks

    func write(_ node: SnapshotTree.Node, _ lead: String, _ rest: String, _ output: inout some TextOutputStream) {
        output.write(lead + line(node) + "\n")
        let (branch, last, rail) = isASCII ? ("|- ", "`- ", "|  ") : ("├─ ", "└─ ", "│  ")
        if showsStacks {
            let indent = rest + (node.children.isEmpty ? "   " : rail) + "  "
            for call in symbols.calls(at: symbols.stack(of: node.task)) { output.write(indent + words(call) + "\n") }
        }
        for (index, child) in node.children.enumerated() {
            let isLast = index == node.children.count - 1
            write(child, rest + (isLast ? last : branch), rest + (isLast ? "   " : rail), &output)
        }
    }

    private func line(_ node: SnapshotTree.Node) -> String {
        let task = node.task
        var words = [name(task)]
        let call = symbols.call(of: task)
        let wait = SnapshotWait(of: task, in: snapshot, symbols)
        let holder = wait?.holder.map { ", " + PrintableText.text($0.words) } ?? ""
        let descriptor = wait?.descriptor.map { ", waits " + PrintableText.text($0.words) } ?? ""
        words.append(state(task) + (call.map { " " + site($0) } ?? "") + holder + descriptor)
        if let memory = memory(of: [task]) { words.append(memory) }
        if let last = node.alike.last {
            let memory = memory(of: [task] + node.alike).map { "; \($0) in all" } ?? ""
            words.append("(and \(CountText.text(node.alike.count)) more like it, to #\(last.id)\(memory))")
        }
        return words.joined(separator: "  ")
    }

    /// The total size of the tasks' memory. Nil if none of them could be measured, and if all of it is inside their parents' memory.
    private func memory(of tasks: [RemoteTask]) -> String? {
        let sizes = tasks.compactMap(\.memory)
        guard sizes.contains(where: { $0 > 0 }) else { return nil }
        return (sizes.count < tasks.count ? "at least " : "") + SizeText.text(sizes.reduce(0, +))
    }

    private func name(_ task: RemoteTask) -> String {
        let name = PrintableText.text(symbols.name(of: task))
        return name.isEmpty ? "#\(task.id)" : "#\(task.id) \(name)"
    }

    private func state(_ task: RemoteTask) -> String {
        let kind = task.kind == .unstructured ? "" : "\(task.kind.words.name), "
        let cancelled = (task.isCancelled ? ", cancelled" : "") + (task.isShielded ? ", shielded" : "")
        let wait = task.state == .running ? "" : SnapshotWait(of: task, in: snapshot, symbols).map { ", " + words($0, of: task) } ?? ""
        return kind + task.state.rawValue + cancelled + wait
    }

    private func words(_ wait: SnapshotWait, of task: RemoteTask) -> String {
        switch wait.kind {
        case .task: return wait.task.map { "waits for " + name($0) } ?? "waits for a task that is not in the snapshot"
        case .continuation: return "waits for a continuation"
        case .timer: return "sleeps"
        case .group:
            guard case .group(let group) = task.wait else { return "waits for its group" }
            guard snapshot.layout.knowsGroups else { return "waits for its group, whose members are not known" }
            let members = children[group] ?? []
            let numbers = members.prefix(Self.mostJobs).map { "#\($0.id)" }
            let more = members.count - numbers.count
            return "waits for its group, \(CountText.text(members.count, "child", plural: "children"))"
                + (numbers.isEmpty ? "" : " (\(numbers.joined(separator: ", "))\(more > 0 ? " and \(CountText.text(more)) more" : ""))")
        case .executor:
            let position = wait.position.map { ", place \($0)" } ?? ""
            let holder = wait.task.map { ", held by " + name($0) } ?? ""
            return "for \(PrintableText.text(wait.executor ?? ""))\(position)\(holder)"
        case .condition, .call, .source, .thread: return "waits"
        }
    }

    private func site(_ call: CodeSymbol) -> String {
        let function = "in \(PrintableText.text(call.function))"
        return call.site.isEmpty ? function : "at \(PrintableText.text(call.site)) \(function)"
    }

    private func words(_ call: CodeSymbol) -> String {
        PrintableText.text(call.function) + (call.site.isEmpty ? "" : "  \(PrintableText.text(call.site))")
    }

    // MARK: Actors and threads

    var actors: [String] {
        var lines: [String] = []
        for actor in snapshot.actors where actor.state != .idle && (actor.state != .unknown || !actor.queue.isEmpty) {
            var words = "\(PrintableText.text(actor.type)) 0x\(String(actor.address, radix: 16))  \(actor.state.rawValue)"
            if let task = actor.running.flatMap({ snapshot.task(at: $0) }) { words += " " + name(task) }
            let queue = actor.queue.prefix(Self.mostJobs).map { job in snapshot.task(at: job).map { name($0) } ?? "a job that is no task" }
            let more = actor.queue.count - queue.count
            if !queue.isEmpty { words += ", then " + queue.joined(separator: ", ") + (more > 0 ? " and \(CountText.text(more)) more" : "") }
            lines.append(words)
        }
        let idle = snapshot.actors.count { $0.state == .idle }
        if idle > 0 { lines.append("\(CountText.text(idle, "idle actor"))") }
        return lines
    }

    private static let mostJobs = 8

    private static func name(ofSignal number: Int32) -> String {
        let names = [SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGSEGV: "SIGSEGV"]
        return names[number] ?? "signal \(number)"
    }

    var deadlocks: [String] {
        snapshot.queueRings.map { ring in
            let text = symbols.text(ofRing: ring, in: snapshot)
            return text.prefix(1).uppercased() + text.dropFirst()
        }
    }

    var threads: [String] {
        var lines: [String] = []
        var others = 0
        for thread in snapshot.threads {
            let task = thread.task.flatMap { snapshot.task(at: $0) }
            let blocking = symbols.blockingCall(of: thread)
            guard task != nil || blocking != nil || thread.signal != nil else {
                others += 1
                continue
            }
            let own = symbols.calls(at: thread.stack).first { !$0.isMachinery }
            var words = ["\(thread.id) \(PrintableText.text(thread.name))"]
            if let task { words.append("runs \(name(task))") }
            if let actor = thread.actor { words.append("on \(PrintableText.text(snapshot.executorName(actor)))") }
            if let blocking { words.append("blocks in \(PrintableText.text(blocking.function))\(own.map { " " + site($0) } ?? "")") }
            if let wait = thread.queueWait { words.append("for \(symbols.text(of: wait, in: snapshot))") }
            if blocking != nil, let descriptor = thread.descriptor { words.append("waits \(PrintableText.text(descriptor.words))") }
            if let signal = thread.signal { words.append("ended by \(Self.name(ofSignal: signal))\(own.map { " " + site($0) } ?? "")") }
            lines.append(words.joined(separator: "  "))
            guard showsStacks || thread.signal != nil || blocking != nil && task != nil else { continue }
            for call in symbols.calls(at: thread.code) { lines.append("    " + self.words(call)) }
        }
        if others > 0 { lines.append("\(CountText.text(others, "other thread")), not in the program's code") }
        let unread = snapshot.counts.unreadThreads
        if unread > 0 { lines.append("\(CountText.text(unread, "further thread")), not read") }
        return lines
    }
}
