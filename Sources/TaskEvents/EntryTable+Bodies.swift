import CTraceLanes

/// For each place that makes tasks without names, the calls in which those tasks have waited.
package struct TaskBodies: Sendable {
    /// The most calls of one place that are kept. A closure with more of them has no function that names it.
    private static let limit = 64

    /// By the number of a code entry: the label of the last task that waited in these calls.
    private var latest: [EntryID] = []
    private var waits: [EntryID: [EntryID]] = [:]
    /// The function that the closure of a place calls.
    fileprivate(set) var functions: [EntryID: String] = [:]

    var labels: Dictionary<EntryID, [EntryID]>.Keys { waits.keys }

    func knows(_ label: EntryID, _ code: EntryID) -> Bool { code.rawValue < latest.count && latest[Int(code.rawValue)] == label }

    /// The calls in which tasks of this place have waited. Nil if the place has too many.
    func waits(of label: EntryID) -> [EntryID]? { waits[label].flatMap { $0.count < Self.limit ? $0 : nil } }

    /// Returns whether the calls are new.
    mutating func add(_ code: EntryID, to label: EntryID) -> Bool {
        if code.rawValue >= latest.count {
            latest.append(contentsOf: repeatElement(.none, count: Int(code.rawValue) + 1 - latest.count))
        }
        latest[Int(code.rawValue)] = label
        let known = waits[label, default: []]
        guard known.count < Self.limit, !known.contains(code) else { return false }
        waits[label] = known + [code]
        return true
    }
}

/// A task without a name is called after the function that its closure calls: `handle(_:)` for `Task { try await handle(request) }` in
/// `main()`. The trace shows that function only where a task waits in it. A closure that also waits elsewhere, or itself, has no such
/// function, and the task is called after the function that made it.
extension EntryTable {
    /// Records that a task suspended in these calls. Suspensions to change executors do not count, because a closure also returns to its
    /// actor.
    @inline(__always)
    package mutating func noteWait(in code: EntryID, ofTasks label: EntryID) {
        if code == .none || bodies.knows(label, code) { return }
        noteNewWait(in: code, ofTasks: label)
    }

    private mutating func noteNewWait(in code: EntryID, ofTasks label: EntryID) {
        guard isCode(code), case .label(let name, let file, _) = self[label], name == file, isCode(name) else { return }
        if bodies.add(code, to: label) { bodies.functions[label] = function(ofBodies: label) }
    }

    /// Looks at all closures again, after symbols gave some of their names.
    mutating func noteBodies() {
        for label in bodies.labels { bodies.functions[label] = function(ofBodies: label) }
    }

    /// Takes over what the events showed to an earlier copy of this table, which has no more entries.
    package mutating func takeOverBodies(of other: EntryTable) {
        guard bodies.labels.isEmpty, !other.bodies.labels.isEmpty, other.count <= count else { return }
        bodies = other.bodies
        noteBodies()
    }

    private func function(ofBodies label: EntryID) -> String? {
        guard let waits = bodies.waits(of: label), case .label(let code, _, _) = self[label], let maker = symbol(ofCall: code),
            !maker.isOfDependency, maker.function != "main"
        else { return nil }
        var name: String?
        for wait in waits {
            switch body(of: wait, madeIn: maker) {
            case .unknown: continue
            case .itself: return nil
            case .calls(let function):
                guard function == name ?? function else { return nil }
                name = function
            }
        }
        return name
    }

    /// The function that a task's closure was calling while the task waited.
    private enum Body {
        case calls(String)
        /// It waits itself, or calls a library.
        case itself
        case unknown
    }

    private func body(of code: EntryID, madeIn maker: CodeSymbol) -> Body {
        guard case .code(_, let records) = self[code], areNamed(in: code) else { return .itself }
        let calls = calls(of: code)
        let closures = calls.reversed().prefix { $0.isClosure && $0.name == maker.name }
        // A closure that only calls a function has no frame of its own: the function is then the outermost call, if that is known.
        if closures.isEmpty, records.count >= Int(TRACE_CODE_DEPTH) { return .unknown }
        // A protocol's witness stands before the function that it calls. An accessor, whose name has no parentheses, says less than the
        // function that made the task.
        let inner = calls.dropLast(closures.count).reversed().drop { $0.name.hasPrefix("protocol witness for ") }
        guard let called = inner.first, !called.isOfDependency, !called.isClosure, called.name.hasSuffix(")") else { return .itself }
        return .calls(called.name)
    }
}
