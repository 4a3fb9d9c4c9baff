import InspectorUI
import Measuring
import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// Measures an inspector on a program with a million ended tasks and a hundred thousand waiting ones while more events arrive. It holds the
/// model, draws frames, and returns the time of each.
struct LoadedInspector {
    private var model: Model
    private var canvas: Canvas
    private var program = LoadedProgram()
    private var time: UInt64 = 0
    private var shown: Picture?
    private var isDown = false

    /// - Parameters:
    ///   - ended: The number of tasks that end before the first frame.
    ///   - live: The number of tasks that wait in a queue the whole time.
    init(ended: Int, live: Int, size: Size = Size(columns: 200, rows: 50)) {
        let history = TraceHistory()
        history.latest.entries = program.entries
        model = Model(history: history, program: "load", size: size, glyphs: .unicode)
        canvas = Canvas(size: size)
        feed(program.waiting(live))
        var left = ended
        while left > 0 {
            feed(program.chains(of: min(left, 20_000)))
            left -= 20_000
            frame()
        }
        press(.character("2"))
        for _ in 0..<400 { frame() }
    }

    /// Nanoseconds to draw one frame of a screen or overlay at a million events a second and thirty frames a second, without the folding.
    mutating func frame(of picture: Picture) -> Int {
        if picture != shown {
            shown = picture
            press(.escape)
            press(.escape)
            for key in picture.keys { press(key) }
            for _ in 0..<3 { frame() }
        }
        feedFrame()
        return processorNanoseconds { frame() }
    }

    /// Goes through time with each key in turn, while events arrive.
    mutating func steps() -> [Stepping] {
        press(.escape)
        press(.character("0"))
        press(.character("1"))
        press(.down)
        let all = Stepping.keys.map { step(with: $0.key, what: $0.what) }
        press(.end)
        return all
    }

    private mutating func step(with key: Key, what: String) -> Stepping {
        feedFrame()
        let answer = processorNanoseconds {
            press(key)
            frame()
        }
        var (longest, whole, frames) = (0, answer, 1)
        while model.isArranging || frames < Stepping.leastFrames, frames < Stepping.mostFrames {
            feedFrame()
            let time = processorNanoseconds { frame() }
            longest = max(longest, time)
            whole += time
            frames += 1
        }
        return Stepping(what: what, answer: answer, longest: longest, whole: whole)
    }

    /// Nanoseconds from a key to the frame that shows its effect.
    mutating func key() -> Int {
        feedFrame()
        isDown.toggle()
        return processorNanoseconds {
            press(isDown ? .down : .up)
            frame()
        }
    }

    /// Nanoseconds to find all tasks that match a query.
    func ask(_ query: String) -> Int {
        guard let query = try? TaskQuery(query) else { preconditionFailure("'\(query)' is no query") }
        return processorNanoseconds { _ = TaskQueryMatcher(query, in: model.store, warnings: model.shared.findings.index).tasks() }
    }

    /// Nanoseconds from the last letter of a filter to the frame that says how many tasks match, and to the frame that shows the first of
    /// them in sorted order. Both are the same frame unless about half a million tasks match.
    mutating func filter(_ query: String) -> (answer: Int, list: Int) {
        press(.character("1"))
        settle()
        press(.character("/"))
        let answer = processorNanoseconds {
            _ = update(&model, .paste(query))
            frame()
        }
        let rest = model.isArranging ? processorNanoseconds { settle() } : 0
        press(.escape)
        settle()
        return (answer, answer + rest)
    }

    /// Sorts all tasks by each column in turn and groups them in each way, while one task is selected.
    mutating func arrangeTasks() -> [Arranging] {
        press(.character("1"))
        settle()
        press(.down)
        var all: [Arranging] = []
        for _ in model.settings.columns.order {
            let (longest, whole) = arrange(by: .character("s"))
            all.append(Arranging(what: "sorted by \(model.settings.sort.column)", longest: longest, whole: whole))
        }
        for _ in TaskGrouping.allCases {
            let (longest, whole) = arrange(by: .character("o"))
            guard model.settings.grouping != .none else { continue }
            let fold = arrange(by: .character("Z")).longest
            let unfold = arrange(by: .character("Z")).longest
            all.append(Arranging(what: "grouped by \(model.settings.grouping)", longest: max(longest, fold, unfold), whole: whole))
        }
        return all
    }

    /// Nanoseconds until the list shows the result of a key: those of the longest frame, which may be the key's own, and those of all
    /// frames.
    private mutating func arrange(by key: Key) -> (longest: Int, whole: Int) {
        var longest = processorNanoseconds {
            press(key)
            frame()
        }
        var whole = longest
        while model.isArranging {
            let time = processorNanoseconds { frame() }
            longest = max(longest, time)
            whole += time
        }
        return (longest, whole)
    }

    private mutating func settle() {
        repeat { frame() } while model.isArranging
    }

    /// Folds the events of a thirtieth of a second. Each task of the program emits about nine.
    private mutating func feedFrame() { feed(program.chains(of: 33_333 / 9)) }

    private mutating func press(_ key: Key) {
        _ = update(&model, .key(key))
    }

    private mutating func feed(_ events: [TaskEvent]) {
        model.history.apply(TraceBatch(events: events, lanes: Array(repeating: 0, count: events.count)))
        _ = update(&model, .traced)
    }

    private mutating func frame() {
        time += 33_333_333
        _ = update(&model, .frame(at: time))
        var next = canvas
        next.clear()
        Frame.draw(model, on: &next)
        _ = next.changes(from: canvas)
        canvas = next
    }
}

/// A screen or an overlay, and the keys that show it.
struct Picture: Hashable {
    var name: String
    var keys: [Key]

    init(_ name: String, _ keys: Key...) { (self.name, self.keys) = (name, keys) }

    /// Every screen but the tape, which only explored programs have, and the overlays of a task or of the whole inspector.
    static let all = [
        Picture("Overview", .character("0")), Picture("Tasks", .character("1"), .down), Picture("Graph", .character("2"), .down),
        Picture("Executors", .character("3")), Picture("Timeline", .character("4")), Picture("Faults", .character("5")),
        Picture("Hops", .character("6")), Picture("Warnings", .character("7")), Picture("Output", .character("8")),
        Picture("Events", .character("9")), Picture("Profile", .character("P")),
        Picture("the detail", .character("1"), .down, .enter), Picture("a wait", .character("1"), .down, .character("w")),
        Picture("what is stuck", .character("W")), Picture("a search", .character("0"), .character("/")),
        Picture("the palette", .character(":")), Picture("the help", .character("?")),
    ]
}

/// The nanoseconds of a step through time: until the frame that answers the key, of the longest later frame, and of all frames.
struct Stepping {
    var what: String
    var answer: Int
    var longest: Int
    var whole: Int

    /// The rules read up to the cursor once it has rested for a quarter of a second, which is eight frames.
    static let leastFrames = 12
    /// The rules read the whole trace anew in more frames than these.
    static let mostFrames = 60

    static let keys: [(key: Key, what: String)] = [
        (.character(" "), "pause"), (.character(","), "an event back"), (.character("["), "a fault back"), (.character("{"), "a hop back"),
        (.character("<"), "back along a chain"), (.character("."), "an event forward"), (.character("]"), "a fault forward"),
        (.character("}"), "a hop forward"), (.character(">"), "forward along a chain"), (.end, "live"),
    ]
}

/// The nanoseconds that it took to sort or group all tasks.
struct Arranging {
    var what: String
    var longest: Int
    var whole: Int

    /// The names of all measurements of ``LoadedInspector/arrangeTasks()``.
    static let all = TaskColumn.allCases.map { "sorted by \($0)" } + ["state", "executor", "name", "chain"].map { "grouped by \($0)" }
}

/// The events of a loaded program: chains of four tasks that hop to main and back. Some tasks fail, and a later task recovers.
private struct LoadedProgram {
    private(set) var entries = EntryTable()
    private var lastTask: UInt64 = 0
    private var now: UInt64 = 0
    private let main = ExecutorID(rawValue: 1)
    private let pool = ExecutorID(rawValue: 2)
    private var labels: [EntryID] = []
    private var error = EntryID.none

    init() {
        entries.append(.none)
        func text(_ text: String) -> EntryID {
            entries.append(.text(text))
            return EntryID(rawValue: entries.count - 1)
        }
        entries.append(.executor(main, name: text("main"), kind: .main))
        entries.append(.executor(pool, name: text("pool"), kind: .pool))
        for name in ["load", "parse", "store", "show"] {
            entries.append(.label(name: text(name), file: text("App/\(name).swift"), line: 12))
            labels.append(EntryID(rawValue: entries.count - 1))
        }
        entries.append(.error(type: text("LoadError"), message: text("timedOut"), thrownBy: .none))
        error = EntryID(rawValue: entries.count - 1)
    }

    /// The events of tasks that never end: half of them stay in a queue, half await a continuation.
    mutating func waiting(_ count: Int) -> [TaskEvent] {
        (0..<count).flatMap { _ in
            lastTask += 1
            now += 100
            let task = TaskID(rawValue: lastTask)
            var events = [
                event(.created, task, executor: pool, label: labels[0], detail: TaskKind.root.rawValue),
                event(.enqueued, task, executor: pool),
            ]
            guard lastTask.isMultiple(of: 2) else { return events }
            events.append(event(.started, task, executor: pool, detail: StartManner.dequeued.rawValue))
            events.append(event(.suspended, task, executor: pool, detail: SuspensionReason.continuation.rawValue))
            events.append(event(.jobEnded, task, executor: pool))
            return events
        }
    }

    /// The events of about `count` tasks, all of which end.
    mutating func chains(of count: Int) -> [TaskEvent] {
        var events: [TaskEvent] = []
        events.reserveCapacity(count * 9)
        for _ in 0..<count / 4 {
            let first = lastTask + 1
            lastTask += 4
            for index in 0..<4 { add(index, of: first, to: &events) }
        }
        return events
    }

    private mutating func add(_ index: Int, of first: UInt64, to events: inout [TaskEvent]) {
        let task = TaskID(rawValue: first + UInt64(index))
        let before = index == 0 ? TaskID.none : TaskID(rawValue: task.rawValue - 1)
        let executor = index == 3 ? main : pool
        let kind: TaskKind = index == 0 ? .root : .continuation
        events.append(event(.created, task, other: before.rawValue, executor: executor, label: labels[index], detail: kind.rawValue))
        if index > 0 {
            let from = index == 3 ? pool : index == 0 ? main : pool
            events.append(event(.hopped, task, other: UInt64(from.rawValue), executor: executor, detail: HopManner.dispatched.rawValue))
        }
        events.append(event(.enqueued, task, executor: executor))
        now += 3_000
        events.append(event(.started, task, executor: executor, detail: StartManner.dequeued.rawValue))
        now += 5_000
        let fails = index == 2 && first % 100 < 4
        if index == 3, (first % 100) < 4 { events.append(event(.errorRead, before, other: task.rawValue)) }
        events.append(
            fails
                ? event(.faulted, task, label: error, detail: FaultManner.thrown.rawValue)
                : event(.completed, task))
        events.append(event(.jobEnded, task, executor: executor))
    }

    private func event(
        _ kind: EventKind, _ task: TaskID, other: UInt64 = 0, executor: ExecutorID = .none, label: EntryID = .none, detail: UInt8 = 0
    ) -> TaskEvent {
        TaskEvent(kind, task: task, at: now, other: other, executor: executor, label: label, detail: detail)
    }
}
