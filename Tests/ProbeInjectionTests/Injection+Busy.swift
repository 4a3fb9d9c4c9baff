import TaskEvents

@testable import ProbeInjection

extension Injection {
    /// Loads the probe. A machine that is too busy to stop a thread in time is refused, untouched, with the advice to try again; this does,
    /// up to twenty times.
    static func whenNotBusy(into pid: Int32, library: String) throws(InjectionProblem) -> Injection {
        for _ in 1..<20 {
            do throws(InjectionProblem) {
                return try Injection(into: pid, library: library, time: TimeSource())
            } catch {
                guard error.kind == .noSafeThread else { throw error }
            }
        }
        return try Injection(into: pid, library: library, time: TimeSource())
    }
}
