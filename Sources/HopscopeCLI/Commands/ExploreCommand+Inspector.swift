import Foundation
import Hopscope
import InspectorUI
import TraceAnalysis
import TraceFile
import TraceStore

extension ExploreCommand {
    /// Records a failing order and shows it in the inspector. Its first screen is the tape of the choices.
    func show(_ failed: FailingOrder, _ found: inout Explored) throws {
        let path = record ?? Self.recordingName(beside: found.result.file ?? "\(found.result.program).order")
        let recorder = try self.recorder(like: found.launch)
        let order: RecordedOrder
        do {
            order = try recorder.write(failed.plan, found.settings, to: path)
        } catch  where record == nil {
            // The result says what was found in any case.
            return StandardError.say("The order was not recorded, so it cannot be shown: \(UserError(any: error).sentence)")
        }
        found.result.recording = path
        let reader = try TraceFileReader(path: path)
        let inspector: TerminalInspector
        do throws(UserError) {
            inspector = try TerminalNeed(command: "explore", without: "'--format text' prints the result", time: clock)
                .open(WarningSettings())
        } catch {
            return error.say()
        }
        let ending = if case .finding = failed.ending { failed.ending } else { order.ending }
        let orders = OtherOrders(recorder, found.settings, plan: failed.plan, of: order, ending: ending.sentence)
        let names = RecordingNames(reader)
        let signal = inspector.show(
            RecordingSource(reader, names: { names.found }), of: reader.header.program,
            controls: NoControls("An order that has ended can only be looked at."), in: TraceHistory(reader), orders: orders,
            recordedAt: reader.header.startRealtime)
        if let signal { die(by: signal) }
    }

    /// The name of an order's recording: that of its file, with another ending.
    private static func recordingName(beside order: String) -> String {
        let name = URL(fileURLWithPath: order).lastPathComponent
        return (name.hasSuffix(".order") ? String(name.dropLast(6)) : name) + ".hop"
    }
}
