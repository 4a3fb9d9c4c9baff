import TaskEvents
import Testing

@Suite
struct EventDescriptionTests {
    @Test("Every kind has a name, a word and a sentence of its own")
    func names() {
        let descriptions = EventKind.allCases.map { EventDescription[$0] }
        #expect(Set(descriptions.map(\.name)).count == EventKind.allCases.count)
        #expect(descriptions.allSatisfy { !$0.word.isEmpty && !$0.text(detail: 0, isAlone: false).isEmpty })
    }

    @Test("Every kind has a row of its own, and the raw values begin at 1 and have no gap")
    func rows() {
        #expect(EventKind.allCases.map { Int($0.rawValue) } == Array(1...EventKind.allCases.count))
        #expect(EventKind.allCases.map { EventDescription[$0].name } == EventKind.allCases.map { "\($0)" })
        #expect(Set(EventKind.allCases.map { EventDescription[$0].symbol }) == Set(EventDescription.Symbol.allCases))
    }

    static let detailCounts: [(EventKind, Int)] = [
        (.created, TaskKind.allCases.count), (.antecedent, AntecedentRole.allCases.count), (.started, StartManner.allCases.count),
        (.suspended, SuspensionReason.allCases.count), (.hopped, HopManner.allCases.count), (.faulted, FaultManner.allCases.count),
        (.cancelled, CancellationManner.allCases.count), (.condition, ConditionResult.allCases.count), (.completedTwice, 2),
        (.cancellationAsked, CancellationRequest.allCases.count), (.choice, ChoiceManner.allCases.count),
        (.adopted, TaskKind.allCases.count), (.shielded, ShieldManner.allCases.count),
    ]

    @Test("Every value of a detail has a name, and no other value has", arguments: detailCounts)
    func details(kind: EventKind, count: Int) {
        let names = (0...UInt8.max).compactMap { EventDescription[kind].name(ofDetail: $0) }
        // An asynchronous main is a root too.
        #expect(names.count == count && Set(names).count == count - (kind == .created || kind == .adopted ? 1 : 0))
        #expect(EventDescription[kind].name(ofDetail: UInt8(count)) == nil)
    }

    @Test("A sentence depends on the detail and on whether there is another task")
    func sentences() {
        let suspended = EventDescription[.suspended]
        #expect(suspended.text(detail: SuspensionReason.group.rawValue, isAlone: false) == "suspended until {other} has ended")
        #expect(suspended.text(detail: SuspensionReason.group.rawValue, isAlone: true) == "suspended until a task of its group has ended")
        #expect(suspended.text(detail: 255, isAlone: true) == "suspended")
        #expect(EventDescription[.created].text(detail: TaskKind.asyncLet.rawValue, isAlone: false) == "created by {other}")
        #expect(EventDescription[.created].text(detail: TaskKind.join.rawValue, isAlone: false) == "created, to follow {other}")
        #expect(EventDescription[.created].text(detail: TaskKind.asyncLet.rawValue, isAlone: true) == "created")
    }

    @Test("The events whose field `other` is a task belong to that task's course too")
    func others() {
        let kinds = EventKind.allCases.filter { EventDescription[$0].concernsOther }
        #expect(
            kinds == [
                .created, .antecedent, .suspended, .skipped, .faulted, .cancelled, .errorRead, .released, .waitBegan, .waitEnded,
                .cancellationAsked, .adopted,
            ])
    }
}
