import Foundation

/// The user's folder for recordings without a path of the user's choice. Their names have the form `PROGRAM-PID-TIME-TRIGGER.hop`.
enum KeptRecording {
    /// The path of a new recording. Makes the folder if it is missing.
    static func path(program: String, pid: Int32, trigger: String) -> String {
        let folder = folder
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let name = program.isEmpty ? "program" : String(program.map { $0 == "/" ? "_" : $0 }.prefix(64))
        return "\(folder)/\(name)-\(pid)-\(time)-\(trigger).hop"
    }

    private static var folder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["HOPSCOPE_FLIGHT_DIR"], !folder.isEmpty { return folder }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/hopscope" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/hopscope"
    }

    private static var time: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyyMMdd-HHmmss"
        return format.string(from: Date())
    }
}
