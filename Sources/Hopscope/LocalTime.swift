import Foundation

/// Times as text. The C library writes them, because Foundation's formatters need the 34 MB of ICU's data, which `make dist` leaves out.
package enum LocalTime {
    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - format: as `strftime` has it; the text has at most 63 bytes.
    /// - Returns: the time in the local time zone; empty for a year that the C library does not know.
    package static func text(_ seconds: Int, _ format: String) -> String {
        var seconds = time_t(seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "" }
        return String(unsafeUninitializedCapacity: 64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, format, &parts) }
        }
    }
}
