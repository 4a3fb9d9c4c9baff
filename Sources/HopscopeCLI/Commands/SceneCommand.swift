import ArgumentParser
import Foundation
import Glibc
import Scenarios
import TaskEvents

/// `hopscope scene`: plays a demo in this process, which `hopscope demo` has started under the probe. A mark in the trace begins each
/// scene.
struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "scene", abstract: "Plays a demo in this process.", shouldDisplay: false)

    @Argument var name: String
    @Option var speed = 1.0
    @Option var path: String?

    func run() throws {
        Self.removeLink(CommandLine.arguments[0])
        guard let scene = ScenarioList.probed(named: name) else { throw ValidationError("There is no scene '\(name)'.") }
        let scratch = ScratchSpace()
        let say = { @Sendable (line: String) in _ = Descriptor.write("\(line)\n".utf8, to: STDOUT_FILENO) }
        let tell = { @Sendable (words: String) in
            Emit.mark(words, .guide)
            say(words)
        }
        if !scene.tellsScenes { tell("\(scene.name): \(scene.summary)") }
        let stage = Stage(speed: speed, path: path, scratch: scratch, time: TimeSource(), scenes: tell, output: say)
        scene.play(on: stage) {
            scratch.remove()
            Glibc.exit(0)
        }
        dispatchMain()
    }

    /// The command that plays a scene: a link to this program, so that the trace has the scene's name. The scene removes the link as it
    /// begins.
    static func command(for scene: any Scenario, speed: Double, path: String?) throws -> [String] {
        let folder = NSTemporaryDirectory() + linkFolder + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let link = folder + "/" + scene.name
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        return [link, "scene", scene.name, "--speed", "\(speed)"] + (path.map { ["--path=\($0)"] } ?? [])
    }

    private static let linkFolder = "hopscope-scene-"

    /// Removes the folder of the link by which a scene was started, or was to be started. Any other program keeps its folder.
    static func removeLink(_ program: String) {
        let folder = (program as NSString).deletingLastPathComponent
        guard (folder as NSString).lastPathComponent.hasPrefix(linkFolder) else { return }
        try? FileManager.default.removeItem(atPath: folder)
    }
}
