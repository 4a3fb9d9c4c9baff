import Foundation
import TaskEvents
import TraceAnalysis

/// The probe's statement about a program: the facts that it would see in the program.
///
/// The loader loads the program with the probe. The probe verifies the program's runtime, answers, and ends the process before the program
/// begins.
struct ProbeAnswer {
    enum State: String {
        /// The program has no Swift Concurrency.
        case none
        case idle, complete
        /// The runtime is part of the program, so the probe has the runtime's hooks only.
        case hooks
    }

    /// The environment variable that asks the probe.
    static let question = "HOPSCOPE_PROBE_ASKED"

    /// The note that the linker adds to each program with the probe in it: the length of its name, no content, its kind, the name.
    private static let note = Data([9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0] + Array("Hopscope".utf8) + [0, 0, 0, 0])

    /// Whether a program's file has the probe in it. A program that only contains the probe's texts has no such note.
    static func isProbe(in program: Data) -> Bool {
        let segments = ProgramSegments(of: program)
        return segments.all(.notes).contains { segments.bytes(of: $0).range(of: note) != nil }
    }

    let state: State
    /// The runtime's layout version and the size of its tasks.
    let layout: String
    /// Whether the probe's tests have run on a runtime of this layout version.
    let isListed: Bool
    /// Whether the runtime's file has the symbols of private functions; nil if the probe is idle.
    let hasPrivateSymbols: Bool?
    let routes: TraceRoutes
    /// The reason why the probe is idle.
    let reason: String
    /// The functions for which the linker must lead a program's calls to the probe in its own file, so that its blocks are seen. Empty for any
    /// other program, and if it does.
    let unwrapped: [String]

    /// Nil if the text is not an answer of the probe.
    init?(_ text: String) {
        let words = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }.filter { !$0.isEmpty }
        let values = Dictionary(words.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { first, _ in first })
        guard let state = values["probe"].flatMap(State.init) else { return nil }
        self.state = state
        // The probe says 0 for a number that the runtime does not state.
        func stated(_ name: String) -> String? { values[name].flatMap { $0 == "0" ? nil : $0 } }
        let version = stated("layout").map { "layout \($0)" } ?? "unknown layout"
        let size = "tasks of \(stated("task-size").map { "\($0) bytes" } ?? "unknown size")"
        layout = "\(version), \(size)"
        isListed = values["listed"] != "0"
        hasPrivateSymbols = values["symbols"].map { $0 == "all" }
        routes = TraceRoutes(rawValue: values["routes"].flatMap(UInt32.init) ?? 0)
        reason = values["why"] ?? ""
        unwrapped = words.filter { $0[0] == "wrap" && $0.count > 1 }.map { $0[1] }
    }

    /// Asks a preloaded probe. `libraries` are loaded too. Nil if the loader does not load the probe into the program.
    static func preloaded(into program: String, probe: String, libraries: [String] = []) -> ProbeAnswer? {
        let variables = ["LD_PRELOAD": ([probe] + libraries).joined(separator: " ")]
        // The loader lists the libraries that it would load, and runs nothing. If the probe is not in the list, the program would begin to
        // run.
        guard let listed = BriefProgram(program, [], variables.merging(["LD_TRACE_LOADED_OBJECTS": "1"]) { $1 })?.output,
            listed.split(separator: "\n").contains(where: { $0.contains(probe) && !$0.contains("not found") })
        else { return nil }
        return BriefProgram(program, [], variables.merging([question: "1"]) { $1 }).flatMap { ProbeAnswer($0.output) }
    }

    /// Asks the probe that is linked into the program.
    static func linked(into program: String) -> ProbeAnswer? {
        BriefProgram(program, [], [question: "1"]).flatMap { ProbeAnswer($0.output) }
    }
}

extension ProbeAnswer {
    /// The facts of the runtime, and the facts that the probe sees and does not see.
    func lines() -> [DoctorLine] {
        switch state {
        case .none: return [DoctorLine("runtime", "it has no Swift Concurrency, so there are no tasks")]
        case .idle: return [DoctorLine("runtime", layout), DoctorLine("seen", "nothing of Swift's tasks"), DoctorLine("because", reason)]
        case .complete, .hooks: break
        }
        var lines = [DoctorLine("runtime", "\(layout)\(hasPrivateSymbols == false ? ", without its private symbols" : "")")]
        if !isListed {
            let words = "no test has run on this layout version: the probe proves each fact in the running program, or leaves it out"
            lines.append(DoctorLine("believed", words))
        }
        let unseen = TraceRoutes.all.subtracting(routes)
        lines.append(DoctorLine("seen", TraceRoutes.named.map(\.name).filter(routes.names.contains).joined(separator: ", ")))
        if !unseen.isEmpty { lines.append(DoctorLine("not seen", unseen.subjects.joined(separator: "; "), advice: advice)) }
        if !unwrapped.isEmpty {
            let words = "seen once the linker leads the program's calls of Dispatch to the probe"
            lines.append(DoctorLine("blocks", words, advice: "swift build --static-swift-stdlib \(linkerOptions.joined(separator: " "))"))
        }
        return lines
    }

    private var linkerOptions: [String] {
        // Some linkers leave `dispatch_apply` out of a program whose only call of it is wrapped; its file has this function, too.
        (unwrapped.map { "--wrap=\($0)" } + ["--undefined=_dispatch_apply_invoke"]).flatMap { ["-Xlinker", $0] }
    }

    private var advice: String? {
        if state == .hooks { return "Built without --static-swift-stdlib, the program shows these to 'hopscope run'." }
        if hasPrivateSymbols == false { return "The runtime of a toolchain from swift.org shows these; this one is stripped." }
        return nil
    }
}
