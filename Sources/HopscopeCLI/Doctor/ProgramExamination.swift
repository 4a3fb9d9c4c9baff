import Foundation

/// One program: the way in which the probe gets into it, and the facts that the probe sees there.
struct ProgramExamination: Examination {
    let title: String
    private let name: String

    init(_ name: String) {
        self.name = name
        title = "Program \(name)"
    }

    func lines() -> [DoctorLine] {
        guard let file = ProgramFile(name) else {
            return [DoctorLine("file", "it cannot be run", advice: ProgramFile.cannotStart(name, ENOENT).sentence)]
        }
        if let rights = file.rights(name) { return [DoctorLine("probe", "not loaded", advice: rights)] }
        if file.sort == .script {
            return [DoctorLine("file", "a script: each Swift program that it starts is observed, in its own process")]
        }
        guard file.machine == Self.ownMachine else {
            return [DoctorLine("file", "made for another kind of processor", advice: "Use Hopscope as built for that processor.")]
        }
        let kind = DoctorLine("file", file.sort.words)
        if file.holdsProbe, let answer = ProbeAnswer.linked(into: file.path) {
            return [kind, DoctorLine("probe", "linked into it; HOPSCOPE=1 at its start makes it publish")] + answer.lines()
        }
        if file.sort == .other {
            return [kind, DoctorLine("probe", "not loaded into it, but into each Swift program that it starts")]
        }
        guard file.sort == .swift, file.loader?.contains("/ld-linux") == true, let probe = PreloadedLibrary.probe.path else {
            return [kind, DoctorLine("probe", "not loaded", advice: file.sort.sentence(name))]
        }
        guard let answer = ProbeAnswer.preloaded(into: file.path, probe: probe) else {
            return [
                kind,
                DoctorLine(
                    "probe", "the loader does not load it into this program",
                    advice: "'ldd \(name)' names libraries that are missing; the probe needs the GNU C library."),
            ]
        }
        return [kind, DoctorLine("probe", "'hopscope run' preloads it")] + answer.lines()
    }

    private static let ownMachine = ProgramFile("/proc/self/exe")?.machine
}

extension ProgramFile.Sort {
    fileprivate var words: String {
        switch self {
        case .swift: "a Swift program, with Swift's runtime as shared libraries"
        case .swiftWithRuntime: "a Swift program, with Swift's runtime in it"
        case .swiftWithEverything: "a Swift program that loads no shared libraries"
        case .statical: "a program of another language that loads no shared libraries"
        case .other: "a program of another language"
        case .script: "a script"
        }
    }
}
