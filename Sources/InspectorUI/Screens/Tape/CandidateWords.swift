import TaskEvents
import TraceAnalysis

/// How something that could run is called.
package struct CandidateWords: Hashable, Sendable {
    package var name: String
    /// Where it goes on, such as `App/File.swift:12`.
    package var site: String?

    /// - Parameter words: knows the tasks and names of the candidate's trace.
    package init(_ candidate: ChoiceTape.Candidate, _ words: TaskWords) {
        let (name, site) = words.nameAndSite(of: candidate.label)
        self.site = site
        guard candidate.task != .none else {
            self.name = name ?? "something else"
            return
        }
        let task = words.name(of: candidate.task)
        self.name = task == candidate.task.words ? task : "#\(candidate.task.shortWords) \(task)"
    }
}

extension SharedState {
    func words(of candidate: ChoiceTape.Candidate) -> CandidateWords { CandidateWords(candidate, eventWords) }
}
