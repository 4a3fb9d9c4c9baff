/// The probe, and the facts that it sees in the toolchain's own runtime.
struct ProbeExamination: Examination {
    let title = "Probe"

    func lines() -> [DoctorLine] {
        guard let probe = PreloadedLibrary.probe.path else {
            return [
                DoctorLine(
                    "library", "libhopscope-probe.so is neither beside 'hopscope' nor in ../lib, so programs run unobserved",
                    advice: "'make release' builds it, and 'make install' installs it; its path may contain no space and no colon.")
            ]
        }
        let library = DoctorLine("library", probe)
        guard let runtime = ToolchainExamination.runtime else { return [library] }
        guard let answer = ProbeAnswer.preloaded(into: "/bin/true", probe: probe, libraries: [runtime]) else {
            return [
                library,
                DoctorLine(
                    "runtime", "the loader does not load the probe here",
                    advice: "The probe needs the GNU C library, at least in the version of the machine that it was built on."),
            ]
        }
        return [library] + answer.lines()
    }
}
