import Foundation
import RemoteTasks
import TaskEvents
import TraceAnalysis

/// A trial of the toolchain's runtime: a small program is built, recorded, and read from outside, and what it did is compared with what is
/// seen. The lines tell the project what can be believed of a version on which no test has run.
struct TrialExamination: Examination {
    /// The versions of Swift on whose runtimes the tests have run (`Docs/Install.md`).
    static let testedVersions = ["6.1", "6.2", "6.3"]

    let title = "Trial of the toolchain's runtime"

    /// Nil without a compiler. Nil also for a version that Hopscope's tests have run on, unless the user asked for a trial.
    init?(isWanted: Bool) {
        guard ToolchainExamination.path(of: "swiftc") != nil else { return nil }
        if isWanted { return }
        guard let version = ToolchainExamination.version else { return nil }
        if Self.testedVersions.contains(where: { version.contains("Swift version \($0)") }) { return nil }
    }

    func lines() -> [DoctorLine] {
        let folder = NSTemporaryDirectory() + "hopscope-trial-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = "\(folder)/trial", source = "\(folder)/\(TrialProgram.fileName)"
        guard let compiler = ToolchainExamination.path(of: "swiftc"),
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil,
            (try? TrialProgram.source.write(toFile: source, atomically: false, encoding: .utf8)) != nil,
            Self.succeeds(compiler, ["-parse-as-library", "-Onone", "-g", "-o", program, source], seconds: 120)
        else { return [DoctorLine("program", "it could not be built with this toolchain, so nothing was tried")] }
        return recorded(program, in: folder) + [readFromOutside(program)]
    }

    // MARK: The probe

    private func recorded(_ program: String, in folder: String) -> [DoctorLine] {
        guard let command = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return [] }
        let (recording, events, report) = ("\(folder)/trial.hop", "\(folder)/events", "\(folder)/report")
        guard Self.succeeds(command, ["record", "-o", recording, "--", program]),
            Self.succeeds(command, ["export", recording, "--to", "jsonl", "-o", events]),
            Self.succeeds(command, ["report", recording, "--format", "json", "-o", report]),
            let lines = try? String(contentsOfFile: events, encoding: .utf8),
            let text = try? String(contentsOfFile: report, encoding: .utf8)
        else { return [DoctorLine("proven", "nothing: the program was not recorded")] }
        let proven = TrialEvents(lines: lines, report: text).proven
        let names = TraceRoutes.named.map(\.name).filter(proven.names.contains)
        let unproven = TrialEvents.tried.subtracting(proven)
        var told = [DoctorLine("proven", names.isEmpty ? "nothing" : names.joined(separator: ", "))]
        if !unproven.isEmpty { told.append(DoctorLine("not proven", unproven.subjects.joined(separator: "; "))) }
        return told
    }

    // MARK: The reader

    private func readFromOutside(_ program: String) -> DoctorLine {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["stays"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return DoctorLine("snapshot", "the program does not start") }
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // The parent begins its wait a little later than its children.
        let mostLooks = 20
        var (problem, looks) = ("the tasks were not found", 0)
        for _ in 0..<100 where looks < mostLooks {
            usleep(100_000)
            do {
                let snapshot = try Snapshot(of: RemoteProcess(pid: process.processIdentifier))
                let children = snapshot.tasks.filter { $0.name == "stays" }
                guard children.count == 3, children.allSatisfy({ $0.state == .suspended }) else { continue }
                looks += 1
                guard snapshot.layout.knowsParents, snapshot.layout.knowsGroups, Set(children.map(\.parent)).count == 1,
                    Set(children.map(\.group)).count == 1
                else {
                    problem = "the tasks are found, but not their parents and groups"
                    continue
                }
                let parent = snapshot.task(at: children[0].parent)
                guard children.allSatisfy({ $0.wait == .continuation }), parent?.wait == .group(children[0].group) else {
                    problem = "the tasks are found, but not all that they wait for"
                    continue
                }
                return DoctorLine("snapshot", "proven: tasks, names, waits, parents, groups", advice: Self.advice)
            } catch {
                problem = PrintableText.text("\(error)")
            }
        }
        return DoctorLine("snapshot", "not proven: \(problem)", advice: Self.advice)
    }

    private static let advice = "If no test has run on this version (Docs/Install.md), please send all of these lines to the project."

    /// Whether a command ended with 0 in time.
    private static func succeeds(_ program: String, _ arguments: [String], seconds: Int = 60) -> Bool {
        BriefProgram(program, arguments, ["LD_PRELOAD": ""], seconds: seconds)?.hasSucceeded == true
    }
}
