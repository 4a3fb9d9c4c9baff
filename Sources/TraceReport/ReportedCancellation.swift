import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A cancellation as every output states it: who asked for it, and the tasks that it reached.
package struct ReportedCancellation {
    package struct Step {
        package let task: TaskID
        /// The time at which it reached the task.
        package let at: UInt64
        /// The time at which the task's code first found that it is cancelled. Nil if the trace has no look.
        package let looked: UInt64?
        package let ended: UInt64?
        /// The places that wait in the scope of a cancellation handler which ran, innermost first.
        package let handlers: [String]
    }

    /// The task that asked. Nil if no task did, or if the trace does not have it.
    package let asker: TaskID?
    /// The place that asked. Nil if the trace does not have it.
    package let place: String?
    package let at: UInt64
    /// In the order in which the cancellation reached them.
    package let steps: [Step]

    init(_ path: CancellationPath, in store: TraceStore) {
        asker = path.asker == .none ? nil : path.asker
        place = path.place(in: store)
        at = path.at
        steps = path.steps.map { step in
            Step(
                task: step.task, at: step.at, looked: step.looked, ended: step.ended,
                handlers: step.handlers(in: store).map { $0.site.isEmpty ? $0.name : $0.site })
        }
    }

    func write(to line: inout JSONLine) {
        line.field("at_ns", at)
        line.object("by") { line in
            line.field("task", orNull: asker?.rawValue)
            line.field("where", orNull: place)
        }
        line.array("reached") { line in
            for step in steps {
                line.object { line in
                    line.field("at_ns", step.at)
                    line.field("ended_ns", orNull: step.ended)
                    line.array("handlers") { line in for handler in step.handlers { line.string(handler) } }
                    line.field("looked_ns", orNull: step.looked)
                    line.field("task", step.task.rawValue)
                }
            }
        }
    }
}
