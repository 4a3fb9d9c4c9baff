import CExploreRecord
import Foundation
import InspectorUI
import TaskEvents
import TraceAnalysis
import TraceStore

/// Runs a recorded order once more for the inspector, with one choice changed.
final class OtherOrders: OrderRunner, Sendable {
    private enum State: Sendable {
        case idle, running
        case answered(OrderAnswer)
    }

    let ending: String
    private let recording: OrderRecording
    private let settings: OrderSettings
    private let plan: [OrderDeviation]
    /// The choices of the recorded order.
    private let choices: [explore_choice]
    private let state = Guarded(State.idle)

    init(_ recording: OrderRecording, _ settings: OrderSettings, plan: [OrderDeviation], of order: RecordedOrder, ending: String) {
        (self.recording, self.settings, self.plan, self.ending) = (recording, settings, plan, ending)
        choices = order.choices
    }

    func run(choice: Int, strand: UInt32) -> Bool {
        let isFree = state.withLock { state in
            if case .running = state { return false }
            state = .running
            return true
        }
        guard isFree else { return false }
        let thread = Thread { [self] in
            let answer = answer(choice: choice, strand: strand)
            state.withLock { $0 = .answered(answer) }
        }
        thread.name = "hopscope order"
        thread.start()
        return true
    }

    func take() -> OrderAnswer? {
        state.withLock { state in
            guard case .answered(let answer) = state else { return nil }
            state = .idle
            return answer
        }
    }

    private func answer(choice: Int, strand: UInt32) -> OrderAnswer {
        guard let plan = changedPlan(choice: choice, strand: strand) else {
            return .refused("The recording has no choice \(choice), so no other order was run.")
        }
        do {
            return try .ended(recording.other(plan, settings))
        } catch {
            return .refused("The other order was not run: \(UserError(any: error).sentence)")
        }
    }

    /// The order's deviations, with that strand at that choice.
    private func changedPlan(choice: Int, strand: UInt32) -> [OrderDeviation]? {
        guard choices.indices.contains(choice - 1) else { return nil }
        let here = choices[choice - 1]
        let others = plan.filter { $0.strand != here.strand || $0.point != here.point }
        return others + (strand == here.usual ? [] : [OrderDeviation(strand: here.strand, point: here.point, next: strand)])
    }
}

extension OrderRecording {
    /// Runs an order and returns its choices, with the names of what could have run.
    func other(_ plan: [OrderDeviation], _ settings: OrderSettings) throws -> OtherOrder {
        var tape = ChoiceTape()
        var words: [ChoiceTape.Candidate: CandidateWords] = [:]
        let order = try record(plan, settings) { region in
            let reading = OpenedTrace.lanes(region).read(time: time)
            tape = ChoiceTape(reading.history)
            let names = TaskWords(reading.store)
            for candidate in Set(tape.choices.flatMap(\.candidates)) { words[candidate] = CandidateWords(candidate, names) }
        }
        return OtherOrder(tape: tape, words: words, ending: order.ending.sentence)
    }
}
