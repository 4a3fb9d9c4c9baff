import CProbeInjection
import CTraceLanes
import Glibc
import TaskEvents

/// The probe in a process that was started without it. It records until this program ends.
package struct Injection: Sendable {
    package let pid: Int32
    /// The path of the trace that the process writes from now on.
    package let region: String
    /// The time in nanoseconds for which a thread of the process was stopped.
    package let stop: UInt64
    let record: UInt64

    /// How long the process may take to load the library.
    static let limit: UInt64 = 5_000_000_000

    /// Loads the probe. If it throws, the process is as it was, or has a library more that does nothing.
    ///
    /// One thread of the process, which sleeps, is stopped for less than a millisecond and makes a thread for the loading.
    ///
    /// - Parameter library: The path of the probe.
    package init(into pid: Int32, library: String, time: TimeSource) throws(InjectionProblem) {
        let check = try InjectionCheck(of: pid, library: library)
        let begun = withUnsafePointer(to: check.functions) { injection_begin(pid, library, $0) }
        switch begun.problem {
        case injection_fine: break
        case injection_refused: throw InjectionProblem(.refused, of: pid, detail: Self.words(begun.error))
        case injection_no_room: throw InjectionProblem(.noRoom, of: pid, detail: Self.words(begun.error))
        case injection_no_safe_thread: throw InjectionProblem(.noSafeThread, of: pid)
        case injection_ended: throw InjectionProblem(.ended, of: pid)
        case injection_unsupported: throw InjectionProblem(.otherMachine, of: pid)
        case _: throw InjectionProblem(.refused, of: pid, detail: "its memory could not be read or written")
        }
        self.pid = pid
        (record, stop) = (begun.record, begun.stop)
        region = try Self.answer(of: pid, record: begun.record, time)
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Waits until the new thread records, or says why it does not.
    private static func answer(of pid: Int32, record: UInt64, _ time: TimeSource) throws(InjectionProblem) -> String {
        let deadline = time.now + limit
        let found = UnsafeMutablePointer<trace_injection>.allocate(capacity: 1)
        defer { found.deallocate() }
        while time.now < deadline {
            guard injection_read(pid, record, found) else { throw InjectionProblem(.ended, of: pid) }
            switch trace_injection_state(found.pointee.state) {
            case TRACE_INJECTION_RECORDING: return text(found.pointee.region)
            case TRACE_INJECTION_NOT_LOADED:
                _ = injection_order(pid, record, TRACE_INJECTION_LEAVE.rawValue)
                throw InjectionProblem(.notLoaded, of: pid, detail: text(found.pointee.sentence))
            case TRACE_INJECTION_NOT_RECORDED:
                _ = injection_order(pid, record, TRACE_INJECTION_LEAVE.rawValue)
                throw InjectionProblem(.notRecorded, of: pid, detail: text(found.pointee.sentence))
            case _: usleep(500)
            }
        }
        _ = injection_order(pid, record, TRACE_INJECTION_LEAVE.rawValue)
        throw InjectionProblem(.tookTooLong, of: pid)
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Lets the process record until this program ends.
    package func serve() {
        _ = injection_order(pid, record, TRACE_INJECTION_SERVE.rawValue)
    }
}
