import ArgumentParser
import TextOutput
import TraceAnalysis

/// The result of the search in one process, for printing.
struct ExploreResult {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, junit
    }

    let program: String
    let search: OrderSearch
    let failed: FailingOrder?
    /// The file in which the order was saved, or from which it was replayed.
    let file: String?
    /// Whether the order comes from a file, and no other was tried.
    var isReplay = false
    /// The recording of the order.
    var recording: String?
    /// Whether the user ended the search.
    var isStopped = false

    private var isExact: Bool { search.eventsFromOutside == 0 }

    func write(_ format: Format, to output: inout some TextOutputStream) {
        switch format {
        case .text: writeText(to: &output)
        case .json: writeJSON(to: &output)
        case .junit: writeJUnit(to: &output)
        }
    }

    private var choices: String { CountText.text(search.choices, "choice") }

    private var summary: String {
        let order = isReplay ? file.map { "the order of \($0)" } : nil
        if let failed {
            return "\(program) fails in \(order ?? "order \(failed.number)") (seed \(failed.seed)): \(failed.ending.sentence). "
                + "\(failed.replays.same) of \(failed.replays.all) replays fail alike."
        }
        if let order, search.cutShort == 0 { return "\(program) does not fail in \(order) (\(choices))." }
        guard search.cutShort > 0 else { return "\(program): no order of \(search.orders) failed (\(choices))." }
        guard !isUnknown else { return "\(program): nothing is known of it: \(cutShort)." }
        return "\(program): no order of \(search.orders - search.cutShort) failed (\(choices)), and \(cutShort)."
    }

    /// Whether no order has ended.
    var isUnknown: Bool { failed == nil && search.cutShort == search.orders }

    /// The orders that were cut short, in words.
    private var cutShort: String {
        let count = search.cutShort
        let usual = search.isUsualCutShort ? "the usual one too" : "not the usual one"
        let orders = isUnknown ? "all orders were cut short" : "\(count) \(count == 1 ? "was" : "were") cut short, \(usual)"
        return "\(orders), because \(OrderEnding.cutShort.sentence)"
    }

    private var condition: String? {
        guard let failed, failed.early > 0 else { return nil }
        return "It needs work that takes \(OrderStep.milliseconds(failed.early)) longer than it usually does."
    }

    private var limits: [String] {
        var lines: [String] = []
        if isUnknown { lines.append("Explore fewer tests at once, or a smaller part of the program.") }
        if let ending = search.virtualEnding {
            lines.append("Time was real: in virtual time it fails first come, first served (\(ending.sentence)), in real time it does not.")
        }
        let uncontrolled = OrderOutcome.uncontrolled(search.saw)
        if !uncontrolled.isEmpty { lines.append("Not controlled: \(uncontrolled.joined(separator: ", ")).") }
        if !isExact { lines.append("Not exact: \(search.eventsFromOutside) events came from outside of the orders.") }
        if isStopped { lines.append("Ctrl-C ended the search before all orders were tried.") }
        if search.unconfirmed > 0 { lines.append(Self.noOrders(search.unconfirmed, "did not come again in a replay")) }
        if search.hasty > 0 {
            let way = "because virtual time did not wait for what came from outside"
            lines.append("\(Self.noOrders(search.hasty, "came only \(way)")) '--real-time' waits.")
        }
        if search.slow > 0 {
            let way = "came in virtual time, and in real time the order takes longer than \(OrderSettings.limit / 1000) s"
            lines.append("\(Self.noOrders(search.slow, way)) '--real-time' tries it.")
        }
        if failed != nil, search.cutShort > 0 { lines.append("Of the orders before it, \(cutShort).") }
        return lines
    }

    private static func noOrders(_ count: Int, _ way: String) -> String {
        "\(CountText.text(count, "failure")) \(way); \(count == 1 ? "it is no order" : "they are no orders")."
    }

    private func writeText(to output: inout some TextOutputStream) {
        output.write("\(summary)\n")
        if let failed {
            let count = failed.steps.count
            output.write("  \(count) \(count == 1 ? "choice differs" : "choices differ") from first come, first served:\n")
            for (index, step) in failed.steps.enumerated() { output.write("  \(index + 1)  \(step.text)\n") }
            if let condition { output.write("  \(condition)\n") }
            if let finding = failed.finding { output.write("  \(finding)\n") }
            if !failed.output.isEmpty { output.write("  It printed:\n\(failed.output)\n") }
            let saved = [isReplay ? nil : file, recording].compactMap(\.self)
            if !saved.isEmpty { output.write("  Saved: \(saved.joined(separator: ", "))\n") }
        }
        for line in limits { output.write("  \(line)\n") }
    }

    private func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        line.field("orders", search.orders)
        line.field("choices", search.choices)
        line.object("failed", orNull: failed) { line, failed in
            // A saved order has no number among the orders of a search.
            line.field("order", orNull: isReplay ? nil : UInt64(failed.number))
            line.field("seed", failed.seed)
            line.field("kind", failed.ending.word)
            line.array("replays") { line in
                line.number(UInt64(failed.replays.same))
                line.number(UInt64(failed.replays.all))
            }
            line.array("deviations") { line in
                for step in failed.steps {
                    line.object { line in
                        line.field("task", step.task)
                        line.field("slice", step.slice)
                        line.field("where", orNull: step.site)
                        line.field("instead_of", step.insteadOf)
                        line.field("text", step.text)
                    }
                }
            }
            line.field("condition", orNull: condition)
            line.field("file", orNull: file)
            line.field("recording", orNull: recording)
        }
        line.field("cut_short", search.cutShort)
        line.field("real_time", search.settings.isRealTime)
        line.array("uncontrolled") { line in
            for name in OrderOutcome.uncontrolled(search.saw) { line.string(name) }
        }
        line.field("exact", isExact)
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    private func writeJUnit(to output: inout some TextOutputStream) {
        output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        let counts = "tests=\"1\" failures=\"\(failed == nil ? 0 : 1)\" skipped=\"\(isUnknown ? 1 : 0)\""
        output.write("<testsuite name=\"hopscope explore\" \(counts)>\n")
        output.write("  <testcase classname=\"explore\" name=\"\(XMLText.text(program))\">\n")
        if let failed {
            output.write("    <failure message=\"\(XMLText.text(summary))\">")
            output.write(XMLText.text(failed.steps.map(\.text).joined(separator: "\n")))
            output.write("</failure>\n")
        } else if isUnknown {
            output.write("    <skipped message=\"\(XMLText.text(summary))\"/>\n")
        }
        output.write("  </testcase>\n</testsuite>\n")
    }
}
