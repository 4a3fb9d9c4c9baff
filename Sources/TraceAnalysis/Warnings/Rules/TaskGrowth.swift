import TaskEvents
import TraceStore

/// Tasks made at one place of which more and more are live: they are made faster than they end, or never end.
///
/// What counts is the least number of live tasks in each window of time. Growth rises again and again and does not fall; a burst rises once,
/// and the number of tasks that come and go falls.
struct TaskGrowth: WarningRule {
    let id = "task-growth"
    let severity = WarningSeverity.note
    let summary = "the number of live tasks made at one place only grows"
    /// Live tasks.
    let threshold: WarningThreshold? = .count(100)
    let needs: TraceRoutes = [.created, .ends]

    func watch(_ settings: WarningSettings) -> any WarningWatch {
        Watch(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let site = words.site(finding.label).map { " made at \($0)" } ?? ""
        return
            "\(CountText.text(finding.measure)) tasks like \(words.name(of: finding))\(site) are live, of \(CountText.text(finding.numbers[0])); "
            + "their number has only grown for \(words.duration(finding.numbers[1]))."
    }
}

private final class Watch: WarningWatch {
    /// What is known of the tasks made at one place.
    private struct Growth {
        /// The least number of live tasks in each window that is over, oldest first.
        var floors: [Int] = []
        var width = Watch.firstWidth
        /// When the current window began.
        var since: UInt64
        /// The least number in the current window.
        var floor = 0
        var live = 0
        var created = 0
        let first: UInt64
        /// Whether the number grew, and of those tasks hardly any have ended since.
        var hasGrown = false
        /// Tasks that have ended since it grew.
        var ended = 0

        init(at time: UInt64) {
            (since, first) = (time, time)
        }

        /// Closes the windows that are over by `time`. With too many, two neighbours become one of twice the width.
        mutating func advance(to time: UInt64) {
            while time >= since, time - since >= width {
                floors.append(floor)
                floor = live
                since += width
                guard floors.count == Watch.windows * 2 else { continue }
                floors = stride(from: 0, to: floors.count, by: 2).map { min(floors[$0], floors[$0 + 1]) }
                width *= 2
                // A long silence is one step.
                if time - since > width * UInt64(Watch.windows * 2) {
                    floors = [floor]
                    since = time
                }
            }
        }

        /// Whether the number rose in at least half of the windows, fell in none by more than an eighth, and is half as much again as midway.
        var isGrowing: Bool {
            guard floors.count >= Watch.windows, let last = floors.last else { return false }
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

    private let rule: TaskGrowth
    private let threshold: Int
    private var growths: [CallSite: Growth] = [:]
    /// Live tasks, and where each was made.
    private var places: [TaskID: CallSite] = [:]

    init(rule: TaskGrowth, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    var kinds: Set<EventKind> { [.created, .completed, .faulted, .cancelled] }

    func missEvents() {
        growths = [:]
        places = [:]
    }

    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.kind == .created else {
            guard !places.isEmpty, let place = places.removeValue(forKey: event.task), var growth = growths[place] else { return }
            growth.advance(to: event.time)
            growth.live -= 1
            growth.ended += 1
            // What levels off is no leak: as many end as are made.
            if growth.hasGrown, growth.ended > growth.live / 8 { growth.hasGrown = false }
            growth.floor = min(growth.floor, growth.live)
            growths[place] = growth
            return
        }
        guard event.label != .none, let kind = TaskKind(rawValue: event.detail), Self.begins(kind) else { return }
        let place = scene.site(of: event.label)
        var growth = growths[place] ?? Growth(at: event.time)
        growth.advance(to: event.time)
        if !growth.hasGrown, growth.live > threshold, growth.isGrowing { (growth.hasGrown, growth.ended) = (true, 0) }
        growth.live += 1
        growth.created += 1
        growths[place] = growth
        places[event.task] = place
    }

    /// Whether such a task is one that the program makes, and no follower of another.
    private static func begins(_ kind: TaskKind) -> Bool {
        switch kind {
        case .root, .source, .unstructured, .detached, .groupChild: true
        case .continuation, .join, .delay, .asyncLet, .internal: false
        }
    }

    /// What grows may still fall: it is told as long as it does not.
    func standing(_ scene: WarningScene) -> [Finding] {
        var growing: [CallSite: Growth] = [:]
        for (place, growth) in growths where growth.live > threshold {
            var growth = growth
            growth.advance(to: scene.now)
            if growth.hasGrown || growth.isGrowing { growing[place] = growth }
        }
        guard !growing.isEmpty else { return [] }
        var oldest: [CallSite: [TaskID]] = [:]
        for (task, place) in places where growing[place] != nil { oldest[place, default: []].append(task) }
        return growing.compactMap { place, growth -> Finding? in
            let tasks = oldest[place, default: []].sorted().prefix(Finding.evidenceLimit / 2).compactMap { scene.store.task($0) }
            guard let first = tasks.first else { return nil }
            let waits = tasks.compactMap { task in task.suspendedSince.map { Evidence(.suspended, of: task.id, at: $0) } }
            return Finding(
                rule, first, at: growth.first, measure: UInt64(growth.live),
                numbers: [UInt64(growth.created), scene.elapsed(since: growth.first)], evidence: tasks.map(\.createdEvidence) + waits)
        }
        .sorted { $0.task < $1.task }
    }
}
