import Hopscope
import TraceAnalysis
import TraceTransport

/// The texts that describe a region in a list.
struct ListedTrace {
    private let trace: PublishedTrace

    init(_ trace: PublishedTrace) {
        self.trace = trace
    }

    var program: String { Self.name(trace.program) }

    /// A program's name as the command shows it.
    static func name(_ program: String) -> String {
        program.isEmpty ? "unnamed program" : PrintableText.text(program)
    }

    var state: String {
        switch trace.writer {
        case .recording: "running"
        case .withdrawn: "withdrawn"
        case .ended: "ended"
        case .elsewhere: "elsewhere"
        }
    }

    /// The texts of the columns, in the order of ``headings``.
    var words: [String] {
        [String(trace.pid), program, state, started, CountText.text(Int(clamping: trace.recordCount)), size, trace.path]
    }

    static let headings = ["PID", "Program", "State", "Started", "Events", "Size", "File"]

    /// The start time in the local time zone.
    private var started: String {
        LocalTime.text(Int(clamping: trace.startRealtime / 1_000_000_000), "%Y-%m-%d %H:%M:%S")
    }

    private var size: String {
        let kibibytes = (trace.bytes + 1023) / 1024
        return kibibytes < 10_000 ? "\(kibibytes) KiB" : "\(kibibytes / 1024) MiB"
    }
}
