import TaskEvents
import TraceStore

/// Describes a cancellation in sentences: who asked for it, and what each task did then.
package struct CancellationSentence {
    private let store: TraceStore
    private let words: TaskWords
    private let isASCII: Bool

    package init(_ store: TraceStore, isASCII: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        words = TaskWords(store)
    }

    // MARK: The beginning

    /// The sentence about the request, without a full stop: `` `serve` asked for it at App.swift:12 ``. Safe to print on a terminal.
    package func beginning(of path: CancellationPath) -> String {
        let place = path.place(in: store).map { " at \(PrintableText.text($0))" } ?? ""
        let asker = path.asker == .none ? nil : "`\(words.name(of: path.asker))`"
        switch path.request {
        case nil: return chained(path)
        case .called, .unstated:
            return asker.map { "\($0) asked for it\(place)" } ?? "code outside of the tasks asked for it\(place)"
        case .scope:
            let isLet = store.task(path.first)?.kind == .asyncLet
            let scope = isLet ? "the scope of the `async let` ended" : "the scope of the group ended, or another child of it failed"
            return asker.map { "\(scope), in \($0)" } ?? scope
        case .inherited: return "its parent was cancelled, by a request that the trace does not have"
        case .atCreation: return "it was created in a scope that had been cancelled"
        }
    }

    private func chained(_ path: CancellationPath) -> String {
        switch store.task(path.first)?.cancellation {
        case .thrown: "`\(words.name(of: path.first))` threw CancellationError"
        case .asked: "its source cancelled it, or it was created as cancelled"
        case .token: "its token was cancelled"
        case .injected: "the inspector cancelled it"
        case .forwarded, nil: "it took over a cancellation that the trace does not have"
        }
    }

    // MARK: The steps

    /// The words that follow the task's name: `looked 1.2 ms later, and ended after 3.0 ms`. Safe to print on a terminal.
    package func text(of step: CancellationPath.Step) -> String {
        let end = step.ended.map { $0 >= step.at ? $0 - step.at : 0 }
        switch step.notice {
        case .tooLate: return "had ended before"
        case .looked(let time):
            return "looked \(later(time - step.at))\(ending(end, "and"))"
        case .ended: return "ended as cancelled \(later(end ?? 0))"
        case .handled: return "\(handlers(of: step)) ran\(ending(end, "the task"))"
        case .none:
            guard let end else { return "has not looked, and \(store.isOver ? "never ended" : "has not ended")" }
            return "went on for \(duration(end)) without a look"
        case .unknown:
            guard let end else { return "\(store.isOver ? "never ended" : "has not ended"); looks are not in the trace" }
            return "ended \(later(end)); looks are not in the trace"
        }
    }

    private func ending(_ end: UInt64?, _ subject: String) -> String {
        guard let end else { return ", \(subject) \(store.isOver ? "never ended" : "has not ended")" }
        return ", \(subject) ended after \(duration(end))"
    }

    private func handlers(of step: CancellationPath.Step) -> String {
        let names = step.handlers(in: store).map { "the handler of `\(PrintableText.text($0.name))`" }
        guard let first = names.first else { return "its handler" }
        return names.count == 1 ? first : "\(first) and \(CountText.text(names.count - 1)) more"
    }

    private func later(_ nanoseconds: UInt64) -> String {
        nanoseconds == 0 ? "at once" : "\(duration(nanoseconds)) later"
    }

    private func duration(_ nanoseconds: UInt64) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }
}
