import TraceTransport

extension TaskQuery {
    /// The query as a condition that the program checks before a job begins, to stop there. Throws an error with a whole sentence if the
    /// query is empty or needs facts that are not known before the job begins.
    package func jobCondition() throws(QueryError) -> JobCondition {
        guard !isEmpty else {
            throw QueryError(
                range: 0..<0, description: "Say which job: a part of its name, or on:main, name~save, site~main.swift, id:12, chain:12.")
        }
        var asked: [JobCondition.Term] = []
        for term in terms { asked.append(try term.ofJob()) }
        return JobCondition(asked)
    }
}

extension QueryTerm {
    fileprivate func ofJob() throws(QueryError) -> JobCondition.Term {
        switch condition {
        case .free(let text):
            return .init(.any, isNegated: isNegated, isPart: true, [text])
        case .text(.name, let sign, let texts): return .init(.name, isNegated: isNegated, isPart: sign == .contains, texts)
        case .text(.on, let sign, let texts): return .init(.executor, isNegated: isNegated, isPart: sign == .contains, texts)
        case .text(.site, let sign, let texts): return .init(.site, isNegated: isNegated, isPart: sign == .contains, texts)
        case .number(.id, .has, let numbers): return .init(.task, isNegated: isNegated, numbers.map { "\($0)" })
        case .number(.chain, .has, let numbers): return .init(.chain, isNegated: isNegated, numbers.map { "\($0)" })
        case .text(let field, _, _), .number(let field, _, _): throw Self.unknown(field)
        case .state: throw Self.unknown(.state)
        case .kind: throw Self.unknown(.kind)
        case .warning: throw Self.unknown(.warn)
        }
    }

    private static func unknown(_ field: QueryField) -> QueryError {
        let how = field == .id || field == .chain ? "write \(field.example)" : "ask by name, on, site, id: or chain:"
        return QueryError(range: 0..<0, description: "A job that has not begun cannot be asked for '\(field.rawValue)' like that; \(how).")
    }
}
