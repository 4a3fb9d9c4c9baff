import TaskEvents
import TraceStore

/// What became of an error as a whole, for somebody who looks at it for the first time.
extension FaultSentence {
    /// Names that a sentence has at most; the others are counted.
    private static let namesShown = 3

    /// Who failed first, who was skipped, and who handled it, a sentence each:
    /// `` `save` on net failed first. `submit` was skipped. `report` on main read the error and returned a value: recovered. ``
    package func summary(of path: FaultPath) -> String {
        [beginning(of: path), skips(of: path), ending(of: path)].joined(separator: " ")
    }

    private func beginning(of path: FaultPath) -> String {
        guard let origin = store.task(path.origin) else { return "Where it began is not kept any more." }
        return path.steps.first?.role == .injected
            ? "The inspector made \(subject(origin)) fail." : "\(subject(origin)) failed first."
    }

    private func skips(of path: FaultPath) -> String {
        let skipped = path.steps.compactMap { store.task($0.task) }.filter(\.isSkipped)
        guard !skipped.isEmpty else { return "Nothing was skipped\(path.isPartial ? " in the steps shown" : "")." }
        return "\(names(of: skipped.map { "`\(words.name(of: $0))`" })) \(skipped.count == 1 ? "was" : "were") skipped."
    }

    private func ending(of path: FaultPath) -> String {
        switch path.verdict {
        case .recovered:
            return "\(who(.recovered, on: path)) read the error and returned a value: recovered."
        case .read:
            let readers = readers(.read, on: path).filter { $0.state != .faulted }
            guard !readers.isEmpty else { return "It was read outside of the tasks: read." }
            return "\(names(of: readers.map(subject))) read the error and ended cancelled: read."
        case .pending:
            let open = path.steps.filter { $0.role == nil }.compactMap { store.task($0.task) }
            return "Nobody has read it yet; \(names(of: open.map(subject))) will have it."
        case .swallowed:
            let bodies = readers(.swallowed, on: path).filter { $0.state != .faulted || $0.faultManner == .thrown }
            guard !bodies.isEmpty else { return "Nobody read it, and a join went on without it: swallowed." }
            return "\(names(of: bodies.map(subject))) ran without looking at it: swallowed."
        case .unobserved:
            return "Nobody ever read it: unobserved."
        }
    }

    private func who(_ role: FaultRole, on path: FaultPath) -> String {
        names(of: readers(role, on: path).map(subject))
    }

    private func readers(_ role: FaultRole, on path: FaultPath) -> [TaskView] {
        path.steps.filter { $0.role == role }.compactMap { store.task($0.task) }
    }

    /// `a`, `a and b`, `a, b and c`, `a, b and 98 more`.
    private func names(of names: [String]) -> String {
        guard names.count > 1 else { return names.first ?? "nobody" }
        guard names.count > Self.namesShown else { return names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1] }
        let shown = names.prefix(Self.namesShown - 1)
        return shown.joined(separator: ", ") + " and \(CountText.text(names.count - shown.count)) more"
    }
}
