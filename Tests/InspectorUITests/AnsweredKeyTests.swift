import TaskEvents
import TerminalCanvas
import Testing
import TraceFile
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// Every key that the footer or the help offers does something that can be seen, or the footer says why not.
@Suite struct AnsweredKeyTests {
    /// The state of a table.
    enum TableState: String, CaseIterable, Sendable {
        case empty, oneRow, live, ended, paused, attached, replayed

        var trace: TraceBuilder {
            switch self {
            case .empty: return TraceBuilder()
            case .oneRow:
                var trace = TraceBuilder()
                trace.run(trace.root("save", on: trace.executor("net", .pool)))
                return trace
            case .live, .ended, .paused, .attached, .replayed: return SampleTraces.faults
            }
        }

        func session(_ screen: ScreenName, columns: Int) throws -> Session {
            var session: Session
            if self == .replayed {
                let history = TraceHistory(try TraceFileReader(path: AnsweredKeyTests.recording.get()))
                history.loadAll()
                session = Session(history, columns: columns)
                session.refuseControls("A recording can only be looked at.")
                session.send(.ended)
            } else {
                session = Session(trace, columns: columns)
            }
            switch self {
            case .ended: session.send(.ended)
            case .paused:
                session.press(.character(" "), .character(","), .character(","))
            case .attached: session.refuseControls("A process that was not prepared can only be looked at.")
            case .empty, .oneRow, .live, .replayed: break
            }
            session.press(screen.key)
            return session
        }
    }

    /// The path of a recording of the faults.
    private static let recording = Result {
        let trace = SampleTraces.faults
        let path = ScratchFolder.ofTestRun.path("answered.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "faults", pid: 1, startRealtime: 0))
        writer.write(trace.entries)
        try writer.write(trace.batch)
        try writer.finish()
        return path
    }

    private static func canvasWithoutNotice(_ session: Session) -> Canvas {
        var session = session
        session.clearNotice()
        return session.canvas
    }

    private static let screens = ScreenList.names.filter { $0 != OutputScreen.name }

    @Test("A key of the footer or the help does something or the footer says why not", arguments: screens, TableState.allCases)
    func isAnswered(screen: ScreenName, state: TableState) throws {
        var fresh = try state.session(screen, columns: 80)
        var before = Self.canvasWithoutNotice(fresh)
        for key in ScreenList.standard.keys.rows(in: fresh.model.mode).flatMap(\.keys) {
            let (position, wasLive) = (fresh.model.history.position, fresh.model.history.isAtLatest)
            var session = fresh
            // A notice about an earlier key would hide this key's own.
            session.clearNotice()
            session.press(key)
            let isEffect = session.effects.contains { if case .save = $0 { false } else { true } }
            #expect(isEffect || !session.canvas.changes(from: before).isEmpty, "\(screen.title), \(state), \(key)")
            // Sessions share the history and the rules' settings. Other keys change only their own session.
            let history = session.model.history
            if screen == WarningsScreen.name || history.position != position || history.isAtLatest != wasLive {
                fresh = try state.session(screen, columns: 80)
                before = Self.canvasWithoutNotice(fresh)
            }
        }
    }

    @Test("What a key without an effect says stands in the footer") func whatItSays() {
        var session = Session(SampleTraces.kinesis)
        session.press(.up)
        #expect(session.lines[23].contains("There is nothing above."))
        session.press(.down)
        #expect(!session.lines[23].contains("nothing"))
        session.press(.end, .down)
        #expect(session.lines[23].contains("There is nothing below."))
        session.press(.escape, .escape)
        #expect(session.lines[23].contains("There is nothing to go back from; q quits."))
        session.press(.character("1"))
        #expect(session.lines[23].contains("This screen is shown already."))
        session.press(.character("4"), .character("="))
        #expect(session.lines[23].contains("Nothing changes: the whole trace."))
    }
}
