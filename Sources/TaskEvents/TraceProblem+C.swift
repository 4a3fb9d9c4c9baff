import CTraceLanes

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension TraceProblem {
    /// What a C function explained, by the error number that it left.
    package init(_ problem: trace_problem, error: Int32 = errno) {
        let kind: Kind =
            switch error {
            case ENOENT, ENOTDIR: .missing
            case EPERM, EACCES, ELOOP: .refused
            default: .unavailable
            }
        self.init(kind, Self.sentence(of: problem))
    }

    private static func sentence(of problem: trace_problem) -> String {
        withUnsafeBytes(of: problem.sentence) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The system's words for an error number.
    package static func words(of error: Int32) -> String {
        String(cString: strerror(error))
    }
}
