import ArgumentParser
import Foundation
import Hopscope
import TaskEvents

/// `hopscope attach`: the inspector on another process, or on what one left.
struct Attach: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the inspector on a process that publishes, or on what an ended one left.",
        discussion: """
            The process never waits for it, and goes on when it is left. It shows what the process's lanes still hold and what comes from \
            then on; from when on nothing is missing stands in the header.
            """)

    @OptionGroup var trace: TraceArgument

    func perform() throws {
        guard case .lanes(let region) = try trace.open() else {
            throw UserError("That is a recording: 'hopscope replay' shows it.", .wrongUsage)
        }
        let inspector = try TerminalNeed(command: "attach", without: "'hopscope report' prints what there is, 'hopscope record' keeps it")
            .open()
        let source = LaneTrace(symbolized: region)
        if let signal = inspector.show(source, of: region.program) { die(by: signal) }
    }
}
