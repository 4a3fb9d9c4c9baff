import TaskEvents
import TraceAnalysis
import TraceReport

/// Explains why a program had not ended at a deadline: the stuck tasks, the chain of each task's waits, and the threads that block.
package struct HangReport: Sendable {
    /// The rule of every finding: the program had not ended at the deadline of `--timeout`.
    package static let rule = "hang"

    package let report: SnapshotReport
    private let earlier: [Snapshot]
    /// The deadline in words, such as `1 m 00 s`. Nil for a program that has none.
    private let deadline: String?
    private var snapshot: Snapshot { report.snapshot }
    private var symbols: SnapshotSymbols { report.symbols }
    package var taskCount: Int { snapshot.tasks.count }

    /// A report has at most this many findings. In a program with more, one cause matters, and the first findings are the likeliest.
    package static let mostFindings = 20
    private static let mostLinks = 24
    private static let mostCalls = 16

    /// - Parameters:
    ///   - earlier: snapshots before that of the report, in order. They tell the tasks that go on, and the last of them the threads that
    ///     stay in their calls.
    ///   - deadline: in words; nil for a program that has none.
    package init(_ report: SnapshotReport, since earlier: [Snapshot] = [], deadline: String?) {
        (self.report, self.earlier, self.deadline) = (report, earlier, deadline)
    }

    /// One finding per cause, the likeliest first: tests before other tasks, circles and blocked threads before sleeps.
    package func findings() -> [ReportedFinding] { causes().map(\.finding) }

    /// The findings, each with the tasks of its chain of waits: none for a thread that runs no task.
    package func causes(limit: Int = mostFindings) -> [(finding: ReportedFinding, tasks: [RemoteTask])] {
        let all = SnapshotChain.all(in: snapshot, symbols, since: earlier)
        // The stack of a thread may end before the program's own functions.
        let ownChains = all.filter(isOwn)
        let chains = ownChains.isEmpty ? all.filter { !threads($0).isEmpty } : ownChains
        var causes: [(rank: Int, cause: Cause)] = chains.map { (rank($0), .chain($0)) }
        var inChains = identifiers(ofThreadsIn: chains)
        let rings = snapshot.queueRings.filter { ring in !ring.contains { inChains.contains($0.id) } }
        causes += rings.map { (0, .ring($0)) }
        inChains.formUnion(rings.joined().map(\.id))
        for thread in snapshot.threads where thread.task == nil && !inChains.contains(thread.id) && isBlocked(thread) {
            causes.append((rank(thread), .thread(thread)))
        }
        let ordered = causes.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element.cause)
        guard ordered.isEmpty else { return ordered.prefix(limit).map { (finding($0), $0.tasks) } }
        return [(ReportedFinding(Self.rule, .error, "The program \(notEnded): \(nothing)."), [])]
    }

    private enum Cause {
        case chain(SnapshotChain)
        case thread(RemoteThread)
        /// Threads that wait for one another's queues.
        case ring([RemoteThread])

        var tasks: [RemoteTask] {
            switch self {
            case .chain(let chain): chain.tasks
            case .thread, .ring: []
            }
        }
    }

    /// What is said of a test, a task or the program.
    private var notEnded: String { deadline.map { "had not ended after \($0)" } ?? "has not ended" }

    private func finding(_ cause: Cause) -> ReportedFinding {
        switch cause {
        case .chain(let chain): finding(chain)
        case .ring(let ring): finding(ofRing: ring)
        case .thread(let thread): finding(thread)
        }
    }

    /// The threads that the chains name. All chains that wait for a pool name the same threads.
    private func identifiers(ofThreadsIn chains: [SnapshotChain]) -> Set<Int32> {
        var found: Set<Int32> = []
        var hasPool = false
        for chain in chains {
            if case .pool = chain.cause {
                if hasPool { continue }
                hasPool = true
            }
            found.formUnion(threads(chain).map(\.id))
        }
        return found
    }

    /// Whether the likeliest cause is a task on a processor, whose place this snapshot does not show. A later one may show it.
    package var isOnProcessor: Bool {
        let all = SnapshotChain.all(in: snapshot, symbols, since: earlier)
        let own = all.filter(isOwn)
        guard let first = (own.isEmpty ? all : own).min(by: { rank($0) < rank($1) }) else { return false }
        switch first.cause {
        case .running: return first.tasks.last.flatMap(symbols.call) == nil
        case .goesOn(let task): return symbols.call(of: task) == nil
        case .cycle, .blocked, .continuation, .stream, .sleep, .pool, .thread, .queue, .notStarted, .gone, .unknown: return false
        }
    }

    /// Whether a chain has a task that is in the program's own functions, or one that runs a test and is on a processor.
    private func isOwn(_ chain: SnapshotChain) -> Bool {
        !own(chain).isEmpty || chain.tasks.contains { $0.name.hasPrefix(Self.testPrefix) && $0.name.hasSuffix(Self.testSuffix) }
    }

    /// Whether a thread blocks in the program's own code, and not because it waits for the tests that it has started.
    private func isBlocked(_ thread: RemoteThread) -> Bool {
        guard symbols.blockingCall(of: thread) != nil else { return false }
        let own = symbols.calls(at: thread.stack).filter { !$0.isMachinery }
        return !(own.allSatisfy(\.isEntry) && own.contains(where: \.isTestRunner))
    }

    private var nothing: String {
        snapshot.tasks.isEmpty ? "it has no tasks, and no thread blocks in its own code" : "no task of its own waits"
    }

    // MARK: A chain

    /// The tasks of a chain that are in the program's own functions.
    private func own(_ chain: SnapshotChain) -> [RemoteTask] {
        chain.tasks.filter { isOwn($0) }
    }

    private func isOwn(_ task: RemoteTask) -> Bool {
        symbols.calls(at: symbols.stack(of: task)).contains { !$0.isMachinery && !$0.isEntry }
    }

    private static let threadRank = 2

    private func rank(_ chain: SnapshotChain) -> Int {
        switch chain.cause {
        case .cycle: 0
        case .blocked(let thread) where ring(with: thread) != nil: 0
        case .thread(let thread) where ring(with: thread) != nil: 0
        case .blocked, .pool, .thread: 1
        case .continuation, .stream, .gone, .unknown: chain.tasks.last.flatMap(symbols.call)?.isOfDependency == true ? Self.idleRank : 3
        // The task may run between two looks, as one that polls does, unless nothing holds its job.
        case .queue: chain.tasks.last.flatMap { snapshot.holders[$0.address] }?.proof == .lost ? 3 : 4
        case .notStarted: 5
        case .sleep: 6
        case .running, .goesOn: 7
        }
    }

    private func rank(_ thread: RemoteThread) -> Int {
        ownCall(of: thread)?.isOfDependency == true ? Self.idleRank : Self.threadRank
    }

    /// A library that waits usually has nothing to do: the loop of a server, or its stream of signals.
    private static let idleRank = 4

    private func finding(_ chain: SnapshotChain) -> ReportedFinding {
        let stuck = own(chain).first ?? chain.tasks[0]
        let name = PrintableText.text(chain.tasks.compactMap(Self.testName).last ?? symbols.outermost(in: stuck)?.name ?? name(stuck))
        var evidence: [String] = chain.tasks.prefix(Self.mostLinks).map { words($0) }
        if chain.tasks.count > Self.mostLinks { evidence.append("and \(CountText.text(chain.tasks.count - Self.mostLinks)) tasks more") }
        for thread in threads(chain) { evidence += lines(thread) }
        return ReportedFinding(
            Self.rule, .error, "\(name) \(notEnded): \(cause(chain))", site: site(chain),
            evidence: evidence, evidenceLimit: evidence.count)
    }

    /// The place of a chain's cause: where the thread blocks, or the last task waits. If that has no line, the nearest task's that has one.
    private func site(_ chain: SnapshotChain) -> String? {
        threads(chain).lazy.compactMap(site).first ?? chain.tasks.reversed().lazy.compactMap { place(of: $0)?.site.nilIfEmpty }.first
    }

    /// The program's innermost call that has a line, because a task on a processor may be in a function that the compiler made. Without
    /// such a call, the innermost one.
    private func place(of task: RemoteTask) -> CodeSymbol? {
        symbols.calls(at: symbols.stack(of: task)).first { !$0.isMachinery && !$0.site.isEmpty } ?? symbols.call(of: task)
    }

    private func site(_ thread: RemoteThread) -> String? { ownCall(of: thread)?.site.nilIfEmpty }

    private func ownCall(of thread: RemoteThread) -> CodeSymbol? { symbols.calls(at: thread.stack).first { !$0.isMachinery } }

    /// The test that a task runs: Swift Testing names the task `[Swift Testing] test load() - running`.
    private static func testName(_ task: RemoteTask) -> String? {
        guard task.name.hasPrefix(testPrefix) else { return nil }
        let name = task.name.dropFirst(testPrefix.count)
        return String(name.hasSuffix(testSuffix) ? name.dropLast(testSuffix.count) : name)
    }

    private static let testPrefix = "[Swift Testing] test "
    private static let testSuffix = " - running"

    private func executor(of task: RemoteTask) -> String {
        SnapshotWait(of: task, in: snapshot, symbols)?.executor ?? "an executor"
    }

    private func name(_ task: RemoteTask) -> String { symbols.name(of: task).nilIfEmpty ?? "task #\(task.id)" }

    private func threads(_ chain: SnapshotChain) -> [RemoteThread] {
        switch chain.cause {
        case .blocked(let thread), .thread(let thread): ring(with: thread) ?? [thread]
        case .pool(let threads): threads
        case .cycle, .running, .goesOn, .continuation, .stream, .sleep, .queue, .notStarted, .gone, .unknown: []
        }
    }

    private func cause(_ chain: SnapshotChain) -> String {
        let last = chain.tasks[chain.tasks.count - 1]
        let site = place(of: last).map { " at " + words($0) } ?? ""
        switch chain.cause {
        case .cycle(let first):
            let count = chain.tasks.count - (chain.tasks.firstIndex { $0.address == first.address } ?? 0)
            guard count > 1 else { return "\(name(first)) waits for itself\(site)." }
            return "\(CountText.text(count, "task")) wait for each other in a circle, from \(name(first))\(site) back to it."
        case .blocked(let thread):
            if let ring = ring(with: thread) {
                return "\(name(last)) is in a circle of queues: \(symbols.text(ofRing: ring, in: snapshot))"
            }
            return "\(name(last)) blocks its thread\(blocking(thread))."
        case .running: return "\(name(last)) runs\(site)."
        case .goesOn(let task):
            let place = place(of: task).map { " at " + words($0) } ?? ""
            guard !symbols.isSleeping(task) else { return "\(name(task)) goes on: it sleeps again and again\(place)." }
            return "\(name(task)) goes on: it ran between several looks\(place.isEmpty ? "" : ", the last time" + place)."
        case .continuation:
            let wait = SnapshotWait(of: last, in: snapshot, symbols)
            let holder = wait?.holder
            let known = "nothing has resumed the continuation that \(name(last)) waits for\(site)"
            let descriptor = wait?.descriptor.map { "; it waits \(PrintableText.text($0.words))" } ?? ""
            switch holder?.proof {
            case .lost: return known + ", and nothing holds it: nothing can resume it."
            case .held: return known + (holder.map { ", \(PrintableText.text($0.words))" } ?? "") + "\(descriptor)."
            case .unknown, nil: return known + "\(descriptor)."
            }
        case .stream:
            let known = "nothing has sent to the stream that \(name(last)) reads, or finished it,\(site)"
            switch SnapshotWait(of: last, in: snapshot, symbols)?.holder {
            case let holder? where holder.proof == .lost:
                return known + ", and nothing holds its other end: only a cancellation can end the wait."
            case let holder? where holder.proof == .held: return known + ", \(PrintableText.text(holder.words))."
            case _: return known + "."
            }
        case .sleep: return "\(name(last)) sleeps\(site)."
        case .pool(let threads):
            return
                "\(name(last)) has no thread to run on: "
                + "\(CountText.text(threads.count, "thread")) \(threads.count == 1 ? "blocks" : "block")"
                + "\(threads.first.map(blocking) ?? "")."
        case .thread(let thread):
            let circle = ring(with: thread).map { ", in a circle of queues: \(symbols.text(ofRing: $0, in: snapshot))" }
            return "\(name(last)) is queued, and the thread that runs its jobs has not begun it\(circle ?? "\(blocking(thread)).")"
        case .queue where SnapshotWait(of: last, in: snapshot, symbols)?.holder?.proof == .lost:
            return "\(name(last)) is ready to run\(site), and nothing holds its job for \(executor(of: last)): nothing can run it."
        case .queue: return "\(name(last)) is ready to run, and was queued for \(executor(of: last)) at that moment\(site)."
        case .notStarted: return "\(name(last)) has not been started."
        case .gone: return "\(name(last)) waits for a task that is gone\(site)."
        case .unknown: return "\(name(last)) waits, and its runtime does not show for what\(site)."
        }
    }

    /// One link of the chain: the task, its state, and the place where it waits.
    private func words(_ task: RemoteTask) -> String {
        let site = symbols.call(of: task).map { " at " + words($0) } ?? ""
        let title = "#\(task.id) \(name(task))"
        guard let wait = SnapshotWait(of: task, in: snapshot, symbols) else { return "\(title): \(task.state.rawValue)\(site)" }
        let what: String =
            switch wait.kind {
            case .task: wait.task.map { "waits for #\($0.id) \(name($0))" } ?? "waits for a task that is gone"
            case .group: "waits for its group"
            case .continuation: "waits for a continuation"
            case .timer: "sleeps"
            case .executor: "queued for \(wait.executor ?? "an executor")" + (wait.task.map { ", which #\($0.id) \(name($0)) holds" } ?? "")
            case .condition, .call, .source, .thread: "waits"
            }
        return "\(title): \(what)\(site)"
    }

    // MARK: A thread

    private func finding(_ thread: RemoteThread) -> ReportedFinding {
        let calls = symbols.calls(at: thread.stack)
        let outermost = calls.last { !$0.isMachinery && !$0.isEntry && !$0.isClosure && !$0.site.isEmpty }
        let name = outermost.map { PrintableText.text($0.name) } ?? "Thread \(thread.id)"
        return ReportedFinding(
            Self.rule, .error, "\(name) \(notEnded): it blocks a thread\(blocking(thread)).", site: site(thread),
            evidence: lines(thread), evidenceLimit: Self.mostCalls + 1)
    }

    private func ring(with thread: RemoteThread) -> [RemoteThread]? {
        snapshot.queueRings.first { ring in ring.contains { $0.id == thread.id } }
    }

    private func finding(ofRing ring: [RemoteThread]) -> ReportedFinding {
        let evidence = ring.flatMap { lines($0) }
        return ReportedFinding(
            Self.rule, .error, "The program \(notEnded): \(symbols.text(ofRing: ring, in: snapshot))",
            site: ring.lazy.compactMap(site).first, evidence: evidence, evidenceLimit: evidence.count)
    }

    private func blocking(_ thread: RemoteThread) -> String {
        let calls = symbols.calls(at: thread.stack)
        let own = calls.first { !$0.isMachinery }
        // In a stack that ends before the program's own functions, the outermost call says the most.
        let call = (symbols.blockingCall(of: thread) ?? (own == nil ? calls.last : nil)).map { " in \($0.function)" } ?? ""
        let queue = thread.queueWait.map { " for \(symbols.text(of: $0, in: snapshot))" } ?? ""
        let descriptor = thread.descriptor.map { ", which waits \(PrintableText.text($0.words))" } ?? ""
        return call + (own.map { " at " + words($0) } ?? "") + queue + descriptor
    }

    private func lines(_ thread: RemoteThread) -> [String] {
        let task = thread.task.flatMap { snapshot.task(at: $0) }.map { ", which runs #\($0.id) \(name($0))," } ?? ""
        let calls = symbols.calls(at: thread.code)
        let stack = calls.prefix(Self.mostCalls).map { "    \($0.function)\($0.site.isEmpty ? "" : " at \($0.site)")" }
        return ["thread \(thread.id) \(thread.name)\(task) blocks\(blocking(thread)):"] + stack
    }

    private func words(_ call: CodeSymbol) -> String {
        call.site.isEmpty ? call.function : "\(call.site) in \(call.function)"
    }
}
