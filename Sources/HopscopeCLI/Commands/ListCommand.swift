import ArgumentParser
import TaskEvents
import TraceReport
import TraceTransport

/// `hopscope list`: lists the processes that publish and the traces that ended processes left.
struct ListCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the processes that publish, and the traces that ended ones left.",
        discussion: """
            A process publishes if 'hopscope run' started it, if it links Hopscope or the probe and HOPSCOPE=1 is in its environment, or \
            if it calls Inspector.publish(). The traces of ended processes stay for a week, but only the last 16, and 256 MiB at most.

            States: running; withdrawn (it runs and has stopped publishing); ended (for any reason); elsewhere (it is in another \
            container, so whether it still runs is not known).
            """)

    func perform() throws {
        for directory in TraceDirectory.all() { directory.prune(now: clock.dateSeconds) }
        let traces = TraceArgument.published()
        guard !traces.isEmpty else {
            StandardError.say(
                "No process publishes here, and none has left a trace: 'hopscope run PROGRAM' starts a program that publishes.")
            return
        }
        let columns = ListedTrace.headings.enumerated().map { index, heading in
            TextTable.Column(heading: heading, isNumber: [0, 4, 5].contains(index), limit: index == 6 ? 4096 : 40)
        }
        var table = TextTable(columns, isASCII: !StandardOutput.showsUnicode)
        for trace in traces { table.append(ListedTrace(trace).words) }
        let output = try ResultOutput(nil)
        for line in table.lines(indent: 0) { output.write("\(line)\n") }
        try output.finish()
    }
}
