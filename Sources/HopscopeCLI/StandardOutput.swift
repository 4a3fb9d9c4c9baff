import Foundation

/// What standard output can show.
enum StandardOutput {
    /// Whether the locale says that more than ASCII can be shown.
    static var showsUnicode: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return locale.uppercased().contains("UTF")
    }
}
