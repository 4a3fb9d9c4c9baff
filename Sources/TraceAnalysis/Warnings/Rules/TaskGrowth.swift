import TaskEvents
import TraceStore

/// The number of live tasks created at one place keeps growing: tasks are created faster than they end, or never end. A group's child that
/// has ended counts until its result is taken, because the group keeps it until then.
///
/// The rule compares the least number of live tasks in each window of time. Under growth, this number rises repeatedly and does not fall.
/// Under a burst, it rises once. For tasks that come and go, it falls.
struct TaskGrowth: WarningRule {
    let id = "task-growth"
    let severity = WarningSeverity.note
    let summary = "the number of live tasks made at one place only grows"
    /// The number of live tasks.
    let threshold: WarningThreshold? = .count(100)
    let needs: TraceRoutes = [.created, .ends]
    let sees: TraceRoutes = [.children]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        TaskGrowthDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let site = words.siteBesideName(finding.label).map { " made at \($0)" } ?? ""
        guard finding.numbers[2] * 2 <= finding.measure else {
            return
                "\(CountText.text(finding.numbers[2])) children like \(words.name(of: finding))\(site) have ended, and nothing takes their "
                + "results: their group keeps them all. Their number has only grown for \(words.duration(finding.numbers[1]))."
        }
        return
            "\(CountText.text(finding.measure)) tasks like \(words.name(of: finding))\(site) are live, "
            + "of \(CountText.text(finding.numbers[0])); their number has only grown for \(words.duration(finding.numbers[1]))."
    }
}

private final class TaskGrowthDetector: WarningDetector {
    /// The history of the tasks created by one call. Calls in the code for one line, such as the first turn of a loop and the others, are
    /// reported together.
    private struct Growth {
        /// The least number of live tasks in each closed window, oldest first.
        var floors: [Int] = []
        var width = TaskGrowthDetector.firstWidth
        /// The start of the current window.
        var since: UInt64
        /// The least number of live tasks in the current window.
        var floor = 0
        /// The number of tasks that have not ended, or whose results have not been taken.
        var live = 0
        /// The number of these that have ended.
        var untaken = 0
        var created = 0
        let first: UInt64
        let label: EntryID
        /// Whether the number grew, and hardly any of the tasks have ended since.
        var hasGrown = false
        /// The number of tasks that have ended since it grew.
        var ended = 0

        init(at time: UInt64, _ label: EntryID) {
            (since, first) = (time, time)
            self.label = label
        }

        /// Closes the windows that end by `time`. If there are too many, pairs of neighbours merge into windows of twice the width.
        mutating func advance(to time: UInt64) {
            while time >= since, time - since >= width {
                floors.append(floor)
                floor = live
                since += width
                guard floors.count == TaskGrowthDetector.windows * 2 else { continue }
                floors = stride(from: 0, to: floors.count, by: 2).map { min(floors[$0], floors[$0 + 1]) }
                width *= 2
                // A long silence is a single step.
                if time - since > width * UInt64(TaskGrowthDetector.windows * 2) {
                    floors = [floor]
                    since = time
                }
            }
        }

        mutating func create(at time: UInt64, threshold: Int) {
            advance(to: time)
            if !hasGrown, live > threshold, isGrowing { (hasGrown, ended) = (true, 0) }
            live += 1
            created += 1
        }

        mutating func end(at time: UInt64) {
            advance(to: time)
            live -= 1
            ended += 1
            // A number that levels off is no leak: as many tasks end as are created.
            if hasGrown, ended > live / 8 { hasGrown = false }
            floor = min(floor, live)
        }

        /// Whether the number rose in at least half of the windows, fell in none by more than an eighth, and is one and a half times its
        /// value at the midpoint.
        var isGrowing: Bool {
            guard floors.count >= TaskGrowthDetector.windows, let last = floors.last else { return false }
            var rises = 0
            for (one, next) in zip(floors, floors.dropFirst()) {
                if next < one - one / 8 { return false }
                rises += next > one ? 1 : 0
            }
            return rises * 2 >= floors.count && last * 2 >= floors[floors.count / 2] * 3 && live >= last - last / 8
        }
    }

    static let windows = 8
    /// Nanoseconds.
    static let firstWidth: UInt64 = 50_000_000

    private struct Kept {
        /// The number of the growth of its call.
        var growth: Int
        /// Whether its group keeps it after its end.
        var isChild: Bool
        var hasEnded = false
    }

    /// A shorter growth of untaken results may be that of a loop that makes all children before it takes their results.
    private static let leastUntaken: UInt64 = 1_000_000_000

    private let rule: TaskGrowth
    private let threshold: Int
    /// By call, the number of its growth in `growths`.
    private var numbers: [CallSite: Int] = [:]
    @exclusivity(unchecked) private var growths: [Growth] = []
    /// The tasks that are live, or whose groups keep them.
    @exclusivity(unchecked) private var growthOfTask = TaskMap<Kept>()

    init(rule: TaskGrowth, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.created, .completed, .faulted, .cancelled, .released] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { kind != .created || Self.begins(detail) }

    override func missEvents() {
        numbers = [:]
        growths = []
        growthOfTask = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.kind == .created else {
            end(event, scene)
            return
        }
        guard event.label != .none, Self.begins(event.detail) else { return }
        let index = number(of: event.label, scene, at: event.time)
        growths[index].create(at: event.time, threshold: threshold)
        growthOfTask[event.task] = Kept(growth: index, isChild: event.detail == TaskKind.groupChild.rawValue)
    }

    private func end(_ event: TaskEvent, _ scene: WarningScene) {
        if event.kind != .released, let kept = growthOfTask[event.task], kept.isChild, !kept.hasEnded,
            scene.store.swiftRoutes.isSuperset(of: [.children, .released])
        {
            growthOfTask[event.task]?.hasEnded = true
            growths[kept.growth].untaken += 1
            return
        }
        guard let kept = growthOfTask.remove(event.task) else { return }
        if kept.hasEnded { growths[kept.growth].untaken -= 1 }
        growths[kept.growth].end(at: event.time)
    }

    private func number(of label: EntryID, _ scene: WarningScene, at time: UInt64) -> Int {
        let site = scene.site(of: label)
        if let number = numbers[site] { return number }
        numbers[site] = growths.count
        growths.append(Growth(at: time, label))
        return growths.count - 1
    }

    /// Whether the program creates tasks of this kind independently, not as followers of another task.
    private static func begins(_ detail: UInt8) -> Bool {
        switch TaskKind(rawValue: detail) {
        case .root, .source, .unstructured, .detached, .groupChild: true
        case .continuation, .join, .delay, .asyncLet, .internal, .block, .main, nil: false
        }
    }

    /// The number can still fall, so the finding holds only while it does not.
    override func standing(_ scene: WarningScene) -> [Finding] {
        var growing: Set<Int> = []
        for (index, growth) in growths.enumerated() where growth.live > threshold {
            var growth = growth
            growth.advance(to: scene.now)
            if growth.hasGrown || growth.isGrowing { growing.insert(index) }
        }
        guard !growing.isEmpty else { return [] }
        let sites = sites(of: growing, scene)
        var oldest: [Int: [TaskID]] = [:]
        for (task, kept) in growthOfTask.sorted() {
            if let site = sites[kept.growth] { oldest[site, default: []].append(task) }
        }
        return Dictionary(grouping: sites.keys) { sites[$0] ?? $0 }.compactMap { site, calls -> Finding? in
            let tasks = oldest[site, default: []].prefix(Finding.evidenceLimit / 2).compactMap { scene.store.task($0) }
            guard let first = tasks.first, let since = calls.map({ growths[$0].first }).min() else { return nil }
            let waits = tasks.compactMap { task in task.suspendedSince.map { Evidence(.suspended, of: task.id, at: $0) } }
            let (live, created) = calls.reduce((0, 0)) { ($0.0 + growths[$1].live, $0.1 + growths[$1].created) }
            let untaken = calls.reduce(0) { $0 + growths[$1].untaken }
            if untaken * 2 > live, scene.elapsed(since: since) < Self.leastUntaken { return nil }
            return Finding(
                rule, first, at: since, measure: UInt64(live), numbers: [UInt64(created), scene.elapsed(since: since), UInt64(untaken)],
                evidence: tasks.map(\.createdEvidence) + waits)
        }
        .sorted { $0.task < $1.task }
    }

    /// The growing calls, and all others on their lines, each with the first growing call of its line.
    private func sites(of growing: Set<Int>, _ scene: WarningScene) -> [Int: Int] {
        func site(_ index: Int) -> String { scene.store.entries.label(growths[index].label)?.site ?? "" }
        var first: [String: Int] = [:]
        var sites: [Int: Int] = [:]
        for index in growing.sorted() {
            let site = site(index)
            sites[index] = site.isEmpty ? index : first[site, default: index]
            if !site.isEmpty, first[site] == nil { first[site] = index }
        }
        for index in growths.indices where sites[index] == nil && growths[index].live > 0 { sites[index] = first[site(index)] }
        return sites
    }
}
