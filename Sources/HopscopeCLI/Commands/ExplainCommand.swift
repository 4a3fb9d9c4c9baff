import ArgumentParser
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// `hopscope explain`: tells where the time of a task went, against its peers.
struct ExplainCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells where the time of a task went.",
        usage: """
            hopscope explain <trace> [<task>] [--slowest <n>] [--where <place>] [--json]
            hopscope explain <trace> --if <change> [--where <place>] [--json]
            """,
        discussion: """
            The time from the task's creation to its end is followed from the end backwards: through what it ran, blocked in, was queued \
            for, and what the tasks that it awaited did meanwhile. The segments add up to that time. Each is compared with the same \
            segment of the tasks that were made at the same place.

            Without a task, the slowest of the ended tasks is explained; those that libraries made count only if there are no others.

            '--if' plays the recorded jobs again with a change, and tells how long the chains would take: 'App.swift:12 2x faster' for \
            the jobs of the tasks made at a place, 'Store width 4' for an executor that would run four jobs at once. '--where' times \
            the tasks that were made at a place, such as the requests of a server. It gives no answer where the processors were the \
            limit.
            """)

    @OptionGroup var trace: TraceArgument

    @Argument(help: ArgumentHelp("The number of a task.", valueName: "task"))
    var task: UInt64?

    @Option(help: ArgumentHelp("Explain so many of the slowest tasks.", valueName: "n"))
    var slowest: Int?

    @Option(name: .customLong("where"), help: ArgumentHelp("Only tasks made at this place, such as App.swift:12.", valueName: "place"))
    var place: String?

    @Option(name: .customLong("if"), help: ArgumentHelp("'<place> 2x faster' or '<executor> width 4'.", valueName: "change"))
    var change: String?

    @Flag(help: "Write a JSON object per task, each on a line.")
    var json = false

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    func validate() throws {
        guard task == nil || slowest == nil && place == nil else {
            throw ValidationError("A task's number names it; '--slowest' and '--where' choose among the tasks.")
        }
        guard change == nil || task == nil && slowest == nil else {
            throw ValidationError("'--if' concerns all chains, or the tasks of a place, so it stands without a task and '--slowest'.")
        }
        guard change.map({ Change($0) != nil }) ?? true else {
            throw ValidationError("'--if' takes a change such as 'App.swift:12 2x faster' or 'Store width 4'.")
        }
        guard slowest ?? 1 > 0 else { throw ValidationError("'--slowest' takes the number of tasks to explain, from 1.") }
    }

    func perform() throws {
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let (store, steps) = trace.readSteps(time: clock)
        if let change = change.flatMap({ Change($0) }) {
            let answer = try answer(change, store, steps)
            if json { answer.writeJSON(to: &output) } else { answer.writeText(to: &output, isASCII: !StandardOutput.showsUnicode) }
            try output.finish()
            return
        }
        let tasks = try chosen(in: store)
        let isASCII = !StandardOutput.showsUnicode
        let analysis = TimeAnalysis(store, steps)
        for (index, task) in tasks.enumerated() {
            let explanation = ReportedExplanation(analysis.explanation(of: store[task]), in: store, isASCII: isASCII)
            if json {
                explanation.writeJSON(to: &output)
            } else {
                if index > 0 { output.write("\n") }
                explanation.writeText(to: &output, isASCII: isASCII)
            }
        }
        try output.finish()
    }

    private func answer(_ change: Change, _ store: TraceStore, _ steps: TaskSteps) throws -> WhatIf {
        do throws(WhatIf.Refusal) {
            return try WhatIf(change, store, steps, madeAt: place)
        } catch {
            throw UserError("There is no answer to '\(change.text)': \(error.text)", error.isMisnamed ? .wrongUsage : .cannotStart)
        }
    }

    /// The tasks to explain, the slowest first.
    private func chosen(in store: TraceStore) throws -> [TaskRow] {
        if let task {
            guard let row = store.row(of: TaskID(rawValue: task)) else { throw UserError("The trace has no task \(task).", .wrongUsage) }
            return [row]
        }
        let tasks = store.slowestTasks(madeAt: place)
        guard !tasks.isEmpty else {
            throw UserError(
                place.map { "No ended task of the trace was made at '\($0)'." } ?? "No task of the trace has ended.", .wrongUsage)
        }
        return Array(tasks.prefix(slowest ?? 1))
    }
}
