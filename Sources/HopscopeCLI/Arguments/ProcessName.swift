import RemoteTasks
import TraceAnalysis
import TraceTransport

/// Finds the running process that a program's name means.
enum ProcessName {
    /// The number of the only running Swift process of this program. Nil for a text that can be no name: a number, or a path.
    ///
    /// Throws if no process or several have the name.
    static func pid(of name: String) throws(UserError) -> Int32? {
        guard Int32(name) == nil, !name.isEmpty, !name.contains("/") else { return nil }
        let published = TraceArgument.published().filter { $0.writer == .recording }.map { (pid: $0.pid, program: $0.program) }
        let known = Set(published.map(\.pid))
        let processes = published + SwiftProcess.all().filter { !known.contains($0.pid) }.map { ($0.pid, $0.program) }
        return try pid(of: name, among: processes)
    }

    static func pid(of name: String, among processes: [(pid: Int32, program: String)]) throws(UserError) -> Int32 {
        let named = processes.filter { $0.program == name }
        guard named.count < 2 else {
            let pids = named.map { String($0.pid) }.joined(separator: ", ")
            throw UserError(
                "\(named.count) processes are called '\(PrintableText.text(name))': \(pids). Name one by its number.", .wrongUsage)
        }
        if let pid = named.first?.pid { return pid }
        let question = NearestName.question(name, among: processes.map(\.program))
        throw UserError(
            "No process, trace or file is called '\(PrintableText.text(name))'.\(question) 'hopscope ps' lists the Swift processes.",
            .noSuchFile)
    }
}
