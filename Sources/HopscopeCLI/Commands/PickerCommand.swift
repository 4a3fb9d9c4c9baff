import CursesTerminal
import Foundation
import InspectorUI
import RemoteTasks
import Scenarios
import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceTransport

/// `hopscope` alone on a terminal: a list of what can be looked at. The command that opens the picked entry runs in this process.
enum PickerCommand {
    static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Shows the picker. Returns the arguments of the picked entry, or nil if the user has picked nothing. If the terminal cannot show it,
    /// throws an error that names commands that need no terminal.
    static func pick(_ offer: Offer = .all) throws -> [String]? {
        let settings = try UserSettings().read()
        let terminal: CursesTerminal
        do throws(TerminalUnavailable) {
            terminal = try CursesTerminal()
        } catch {
            throw UserError("\(error.description) Without a terminal, 'hopscope --help' names the commands.", .cannotStart)
        }
        terminal.use(settings.theme)
        let time = TimeSource()
        let session = PickerSession(terminal: terminal, look: { contents(offer, at: time.dateSeconds) }, clock: time.elapsed())
        let outcome = session.run()
        terminal.close()
        if let signal = session.endingSignal { die(by: signal) }
        switch outcome {
        case .open(let arguments): return arguments
        case .quit: return nil
        }
    }

    /// The picker's entries.
    enum Offer {
        case all
        /// The traces that processes publish or have left.
        case traces
    }

    private static func contents(_ offer: Offer, at now: Int) -> PickerContents {
        if offer == .traces {
            return PickerContents([.init("Traces", emptyNote: "No process publishes a trace any more.", entries: traces)])
        }
        return PickerContents([
            .init(
                "Running Swift programs", emptyNote: "No Swift program of yours runs here. 'hopscope run PROGRAM' starts one.",
                entries: processes),
            .init(
                "Recordings in this folder", emptyNote: "None. 'hopscope record -o FILE -- PROGRAM' makes one.",
                entries: recordings(at: now)),
            .init("Demos of problems", emptyNote: "", entries: problems),
            .init("Recordings with remarks", emptyNote: "None is installed beside hopscope.", entries: remarked),
            .init("Guides of ported libraries, and others", emptyNote: "", entries: guides, isFolded: true),
        ])
    }

    // MARK: Processes

    private static var processes: [PickerContents.Entry] {
        let publishers = Set(TraceArgument.published().filter { $0.writer == .recording }.map(\.pid))
        // Those that tell most come first. Users look for programs of their own, and not for a compiler or for Hopscope.
        let processes = SwiftProcess.all().filter { !$0.isTool }
        let publishing = processes.filter { publishers.contains($0.pid) }
        return (publishing + processes.filter { !publishers.contains($0.pid) }).map { process in
            let isPublishing = publishers.contains(process.pid)
            let way = isPublishing ? (process.hasProbe ? "under the probe" : "publishes") : "from outside"
            let seen =
                isPublishing
                ? "It reports all that its tasks do, as they do it."
                : "It was started without Hopscope, so its tasks are looked at from outside, twice a second."
            return .init(
                PrintableText.text(process.program),
                facts: "process \(process.pid), for \(span(ofSeconds: Int(max(0, process.age)))), \(way)",
                sentence: "Process \(process.pid) runs. \(seen)", arguments: ["attach", String(process.pid)])
        }
    }

    private static var traces: [PickerContents.Entry] {
        TraceArgument.candidates.map { trace in
            let listed = ListedTrace(trace)
            let isOver = trace.writer == .ended
            return .init(
                listed.program, facts: "process \(trace.pid), \(listed.state), \(CountText.text(Int(clamping: trace.recordCount))) events",
                sentence: isOver ? "An ended process has left this trace." : "The process publishes what its tasks do.",
                arguments: ["attach", isOver ? trace.path : String(trace.pid)])
        }
    }

    // MARK: Recordings

    private static let mostRecordings = 1000

    /// The traces in the working directory, the latest first. `now` is in seconds since 1970.
    private static func recordings(at now: Int) -> [PickerContents.Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        let files = names.filter { $0.hasSuffix(".hop") && TraceMagic.isTrace($0) }.prefix(mostRecordings).compactMap { name in
            var status = stat()
            return stat(name, &status) == 0 ? (name: name, size: Int(status.st_size), time: Int(status.st_mtim.tv_sec)) : nil
        }
        return files.sorted { ($1.time, $0.name) < ($0.time, $1.name) }.map { file in
            let size = file.size < 10 << 20 ? "\((file.size + 1023) / 1024) KiB" : "\(file.size >> 20) MiB"
            return .init(
                PrintableText.text(file.name), facts: "\(size), \(span(ofSeconds: max(0, now - file.time))) old",
                sentence: "A recording: you can step through it, forwards and back.", arguments: ["replay", "./" + file.name])
        }
    }

    /// The recordings that come with Hopscope, each with remarks that lead through it: beside an installed command, or in the sources from
    /// which it was built.
    private static var remarked: [PickerContents.Entry] {
        let command = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let folder = command.deletingLastPathComponent()
        for place in ["../share/hopscope/traces", "../../../Assets/traces"] {
            let path = folder.appendingPathComponent(place).standardizedFileURL.path
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".hop") }) ?? []
            guard !names.isEmpty else { continue }
            return names.sorted().map { name in
                .init(
                    String(name.dropLast(".hop".count)), facts: "a recording, with remarks that lead through it",
                    sentence: "A recording, at its end: ' goes to its first remark and on.", arguments: ["replay", "\(path)/\(name)"])
            }
        }
        return []
    }

    private static func span(ofSeconds seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(seconds / 86_400) days"
        }
    }

    // MARK: Demos

    /// The demos for a first look, each in a reader's own words, and the tour, which plays them all.
    private static let problems =
        SwiftScene.all.map { entry($0.name, facts: $0.words, summary: $0.summary) }
        + [entry(ScenarioList.tour.name, facts: "these five, then the guides of the ported libraries", summary: ScenarioList.tour.summary)]

    private static let guides = ScenarioList.all.map { entry($0.name, facts: $0.summary, summary: $0.summary) }

    private static func entry(_ name: String, facts: String, summary: String) -> PickerContents.Entry {
        PickerContents.Entry(
            name, facts: facts, sentence: summary.prefix(1).uppercased() + summary.dropFirst() + ".", arguments: ["demo", name])
    }
}

extension SwiftProcess {
    /// Whether it belongs to a Swift toolchain, or is Hopscope.
    var isTool: Bool {
        program == "hopscope" || ProcessOrigin.isToolchain(pid: pid) ?? false
    }
}
