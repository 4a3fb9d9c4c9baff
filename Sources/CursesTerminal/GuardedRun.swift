import CCurses

/// A fault of the inspector's own code: where it was, for a report.
package struct InspectorFault: Error, Hashable {
    /// The signal that the fault raised, such as `SIGILL` for a failed check.
    package let signal: String
    /// The places in code, as `FILE+OFFSET`, the innermost first.
    package let calls: [String]

    /// The innermost places and the signal, for a report.
    package var trace: String { (calls.prefix(5) + ["(\(signal))"]).joined(separator: " ") }
}

/// Runs a body that no trap of its own can end the process with: a failed check, bad arithmetic, a bad address. Returns the fault if there
/// was one.
///
/// After a fault nothing that the body was working on may be used again, and no part of it is released: its frames are gone without having
/// ended. Call it on a thread that does nothing afterwards, because Swift's checks for exclusive access still count what the body held.
package func runGuarded(_ body: @escaping () -> Void) -> InspectorFault? {
    var fault = curses_fault()
    let work = Unmanaged.passRetained(Work(body: body))
    let isWhole = curses_run_guarded({ Unmanaged<Work>.fromOpaque($0!).takeUnretainedValue().body() }, work.toOpaque(), &fault)
    guard !isWhole else {
        work.release()
        return nil
    }
    return InspectorFault(fault)
}

private final class Work {
    let body: () -> Void

    init(body: @escaping () -> Void) {
        self.body = body
    }
}

extension InspectorFault {
    fileprivate init(_ fault: curses_fault) {
        var fault = fault
        signal = String(cString: curses_fault_signal(&fault))
        // The first two are the signal handler and the kernel's call of it.
        calls = (0..<fault.count).dropFirst(2).map { index in
            var name = [CChar](repeating: 0, count: 256)
            curses_fault_call(&fault, index, &name, name.count)
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
