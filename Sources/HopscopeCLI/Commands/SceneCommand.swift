import ArgumentParser
import Foundation
import Glibc
import Scenarios
import TaskEvents

/// `hopscope scene`: plays a demo in plain `async`/`await` in this process, which `hopscope demo` has started under the probe.
struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "scene", abstract: "Plays a demo in this process.", shouldDisplay: false)

    @Argument var name: String
    @Option var speed = 1.0

    func run() throws {
        Self.removeLink()
        guard let scene = SwiftScene.named(name) else { throw ValidationError("There is no scene '\(name)'.") }
        Task(name: "main") { [speed] in
            await scene.play(speed: speed, time: TimeSource())
            Glibc.exit(0)
        }
        dispatchMain()
    }

    /// The command that plays a scene: a link to this program, so that the trace has the scene's name. The scene removes the link as it
    /// begins.
    static func command(for scene: SwiftScene, speed: Double) throws -> [String] {
        let folder = NSTemporaryDirectory() + linkFolder + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let link = folder + "/" + scene.name
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        return [link, "scene", scene.name, "--speed", "\(speed)"]
    }

    private static let linkFolder = "hopscope-scene-"

    private static func removeLink() {
        let folder = (CommandLine.arguments[0] as NSString).deletingLastPathComponent
        guard (folder as NSString).lastPathComponent.hasPrefix(linkFolder) else { return }
        try? FileManager.default.removeItem(atPath: folder)
    }
}
