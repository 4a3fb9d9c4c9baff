import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The texts in a box, and the columns that they need.
struct BoxTexts {
    /// Several tasks that share a box.
    struct Crowd {
        /// The beginning that all names share.
        var name: String
        /// The time of the body that ran longest, in nanoseconds.
        var longest: UInt64?
    }

    /// The label of a line at its arrow.
    enum Label {
        case none
        case skipped
        case hop(String)

        func columns(isShort: Bool) -> Int {
            switch self {
            case .none: 0
            case .skipped: isShort ? 1 : BoxTexts.skipped.count
            case .hop(let name): isShort ? 0 : CharacterWidth.of(name)
            }
        }
    }

    static let skipped = "skipped"
    /// The most columns of a label.
    static let labelColumns = 9
    /// The rows of a box, with its frame.
    static let rows = 4
    /// The rows of a box in which a name has two lines, or below which the task's fate and times stand.
    static let tallRows = 6

    let task: TaskView
    let state: DisplayedState
    /// Empty for a single task.
    let count: String
    /// The name, or the beginning that the names of several tasks share.
    let name: String
    /// Whether the names of several tasks go on after `name`.
    let isBeginning: Bool
    /// Empty if the task has none.
    let executor: String
    let time: UInt64?
    let isMost: Bool
    let isLeast: Bool

    init?(_ box: Box, _ crowd: Crowd?, _ store: TraceStore) {
        guard let task = store.task(box.task) else { return nil }
        let words = TaskWords(store)
        self.task = task
        state = DisplayedState(task)
        count = box.members.count > 1 ? CountText.text(box.members.count) : ""
        let own = words.name(of: task)
        isBeginning = crowd.map { $0.name != own && !$0.name.isEmpty } ?? false
        name = isBeginning ? crowd?.name ?? own : own
        executor = task.executor == .none ? "" : words.name(task.executor)
        isLeast = store.isSampled
        isMost = crowd != nil && !isLeast
        time = crowd.map(\.longest) ?? task.bodyTime(at: store.now)
    }

    /// The columns of a box in which the name is whole: a frame, a glyph, a blank, the name, and the number of tasks.
    var nameColumns: Int {
        4 + CharacterWidth.of(name) + (isBeginning ? 1 : 0) + (count.isEmpty ? 0 : count.count + 2)
    }

    /// The columns of a box in which all texts are whole.
    func columns(withDuration: Bool) -> Int {
        // A duration takes at most eight columns, and two more for a sign before it.
        let duration = state == .skipped || !withDuration ? 0 : 8 + (isMost || isLeast ? 2 : 0)
        let second = CharacterWidth.of(executor) + (duration > 0 && !executor.isEmpty ? 1 : 0) + duration
        return max(nameColumns, second + 3)
    }

    /// The word at the arrow of a link: that its continuation was skipped, or the executor to which the continuation's job hopped.
    static func label(of edge: BoxEdge, _ store: TraceStore) -> Label {
        guard edge.kind == .continues, let to = store.task(edge.to) else { return .none }
        if to.isSkipped { return .skipped }
        return hop(to).map { .hop(TaskWords(store).name($0.to)) } ?? .none
    }

    /// The hop of a continuation's job to another executor than before.
    static func hop(_ task: TaskView) -> Hop? {
        task.lastHop.flatMap { $0.from != $0.to ? $0 : nil }
    }
}

extension String {
    /// The text in at most two lines, the first of at most `columns`. The break is before a capital letter or after a blank or another
    /// character that is no letter, if both lines fit then.
    func twoLines(_ columns: Int) -> (first: String, second: String) {
        guard CharacterWidth.of(self) > columns else { return (self, "") }
        var width = 0
        var end = startIndex
        var breaks: [Index] = []
        while end < endIndex {
            let next = index(after: end)
            let before = end > startIndex ? self[index(before: end)] : "a"
            if end > startIndex, self[end].isUppercase && before.isLowercase || !before.isLetter && !before.isNumber { breaks.append(end) }
            width += CharacterWidth.of(self[end..<next])
            if width > columns { break }
            end = next
        }
        let cut = breaks.last { CharacterWidth.of(self[$0...]) <= columns } ?? end
        return (String(self[..<cut]), String(self[cut...]))
    }
}
