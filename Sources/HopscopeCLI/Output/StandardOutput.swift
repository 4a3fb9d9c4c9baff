import Foundation

/// The abilities of standard output.
enum StandardOutput {
    /// Whether the locale's encoding is a form of Unicode. If not, the output is ASCII.
    static var showsUnicode: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return locale.uppercased().contains("UTF")
    }
}
