import Foundation
import TaskEvents

/// The paths of recordings that the user did not name: `PROGRAM-PID-TIME-TRIGGER.hop` in one of the user's folders.
package enum KeptRecording {
    /// The path of a new recording, made `seconds` after the beginning of 1970. Makes the folder if it is missing. Without `folder` it is
    /// the user's. Throws if the folder is a symbolic link, by which another user could lead a recording elsewhere.
    package static func path(
        program: String, pid: Int32, trigger: String, at seconds: Int, in folder: String? = nil
    ) throws(TraceProblem) -> String {
        var folder = folder ?? Self.folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        var status = stat()
        guard lstat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
            throw TraceProblem(
                .refused, "No recording is written to \(folder), because it is a symbolic link; let HOPSCOPE_FLIGHT_DIR name a folder.")
        }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let name = program.isEmpty ? "program" : String(program.map { $0 == "/" ? "_" : $0 }.prefix(64))
        let path = "\(folder)/\(name)-\(pid)-\(LocalTime.text(seconds, "%Y%m%d-%H%M%S"))-\(trigger)"
        // Two recordings of one second are distinguished by a number.
        let ways = ["\(path).hop"] + (2...99).map { "\(path)-\($0).hop" }
        return ways.first { !FileManager.default.fileExists(atPath: $0) } ?? ways[0]
    }

    private static var folder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["HOPSCOPE_FLIGHT_DIR"], !folder.isEmpty { return folder }
        return stateFolder(environment)
    }

    /// The folder of the user's state: recordings, and data that waits for a collector. A relative path counts as unset, as XDG asks.
    package static func stateFolder(_ environment: [String: String]) -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/hopscope" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/hopscope"
    }
}
