import TaskEvents

/// Numbers that tell executors of one name apart: the second that the trace uses is `disk#2`.
///
/// The numbers follow the order of first use, so an executor has the same number at each time of a trace. Executors that the trace does not
/// use have none: a program may have made them before it was recorded.
struct ExecutorNames {
    private var known = 0
    /// The used executors whose names are not known, in the order of their use. Records of names can be lost.
    private var unnamed: [ExecutorID] = []
    private var uses: [String: Int] = [:]
    private var numbers: [ExecutorID: Int] = [:]

    /// Numbers the executors that were used since the last call, and those whose names have become known since then.
    mutating func follow(_ executors: borrowing ExecutorTable) {
        let waiting = unnamed
        unnamed = []
        let new = executors.used.dropFirst(known).map { ExecutorID(rawValue: $0) }
        known += new.count
        for id in waiting + new {
            guard let executor = executors.entries.executor(id) else {
                unnamed.append(id)
                continue
            }
            // Chains and Swift's main actor have an executor each for the one main queue.
            if executor.kind == .main { continue }
            uses[executor.name, default: 0] += 1
            numbers[id] = uses[executor.name]
        }
    }

    func name(_ name: String, of id: ExecutorID) -> String {
        guard let number = numbers[id], number > 1 else { return name }
        return "\(name)#\(number)"
    }
}
