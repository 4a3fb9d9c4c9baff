import TextOutput
import TraceAnalysis

/// The output for code scanning: SARIF 2.1.0, with one run per process. A finding of a rule that `--fail-on` leaves out has the level `note`.
extension CheckResult {
    func writeRun(to line: inout JSONLine, flushingTo output: inout some TextOutputStream) {
        line.begin("{", onLine: true)
        line.object("tool") { line in
            line.object("driver") { line in
                line.field("name", "hopscope")
                line.array("rules") { line in
                    for rule in rules {
                        line.object { line in
                            line.field("id", rule)
                            guard let summary = WarningRules.all.first(where: { $0.id == rule })?.summary else { return }
                            line.object("shortDescription") { $0.field("text", summary) }
                        }
                    }
                }
            }
        }
        line.object("automationDetails") { $0.field("id", "hopscope/\(program.isEmpty ? "unnamed program" : program)") }
        line.begin("[", "results")
        for finding in findings {
            write(asResult: finding, to: &line)
            line.flush(to: &output)
        }
        line.end("]")
        line.end("}")
    }

    private func write(asResult finding: ReportedFinding, to line: inout JSONLine) {
        line.object(onLine: true) { line in
            line.field("ruleId", finding.rule)
            line.field("level", failOn.includes(finding.rule) ? finding.severity.name : "note")
            line.object("message") { $0.field("text", message(of: finding)) }
            guard let place = place(of: finding) else { return }
            line.array("locations") { line in
                line.object { line in
                    line.object("physicalLocation") { line in
                        line.object("artifactLocation") { $0.field("uri", Self.uri(place.file)) }
                        line.object("region") { $0.field("startLine", place.line) }
                    }
                }
            }
        }
    }

    /// The sentence, and the evidence below it.
    private func message(of finding: ReportedFinding) -> String {
        let evidence = finding.evidence.map { "\n\(name(of: $0.task).map { "\($0): " } ?? "")\($0.text)" }
        return PrintableText.text(finding.message) + evidence.joined()
    }

    /// A relative reference. Everything but letters, digits, and the marks that a path may have, is a percentage.
    private static func uri(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return path.utf8.reduce(into: "") { text, byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "/._~-".contains(character))
            text += isPlain ? String(character) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}
