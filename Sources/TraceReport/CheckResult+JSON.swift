import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// The output for other programs: one object, with one line per finding. Every key is always present.
extension CheckResult {
    /// The version of the keys and their meanings.
    static let format = 1

    func writeFields(to line: inout JSONLine, flushingTo output: inout some TextOutputStream) {
        line.field("format", Self.format)
        line.field("program", program)
        line.field("failed", hasFailed)
        line.field("tasks", orNull: taskCount.map(UInt64.init))
        line.field("open", orNull: store.isOver ? UInt64(open.count) : nil)
        line.field("lost", store.lostCount)
        line.field("evicted", store.evictedCount)
        line.array("rules") { line in
            for rule in rules {
                line.object { line in
                    line.field("rule", rule)
                    line.field("fails", failOn.includes(rule))
                    line.field("findings", findings.lazy.filter { $0.rule == rule }.count)
                    line.field("checked", obstacle(to: rule) == nil)
                    line.field("why", orNull: obstacle(to: rule))
                }
            }
        }
        line.begin("[", "findings")
        for finding in findings {
            write(finding, to: &line)
            line.flush(to: &output)
        }
        line.end("]")
    }

    private func write(_ finding: ReportedFinding, to line: inout JSONLine) {
        line.object(onLine: true) { line in
            line.field("rule", finding.rule)
            line.field("severity", finding.severity.name)
            line.field("fails", failOn.includes(finding.rule))
            line.field("task", orNull: finding.task)
            line.field("name", orNull: store.task(finding.task)?.label.fullName)
            line.field("site", orNull: site(of: finding))
            line.field("message", finding.message)
            line.array("evidence") { line in
                for evidence in finding.evidence {
                    line.object { line in
                        line.field("task", orNull: evidence.task)
                        line.field("text", evidence.text)
                    }
                }
            }
        }
    }
}
