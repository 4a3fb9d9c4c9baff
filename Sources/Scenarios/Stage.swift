import Foundation
import TaskRuntime

/// What a scenario is played with: its pace, its input and where it speaks.
package struct Stage: Sendable {
    /// 1 is a pace that a person can follow, 2 is twice as fast; the pauses, not the work, are what it changes.
    package let speed: Double
    /// The directory that `hash` reads.
    package let path: String?
    /// How many tasks `load` makes.
    package let tasks: Int
    private let output: @Sendable (String) -> Void

    package init(speed: Double = 1, path: String? = nil, tasks: Int = 1000, output: @escaping @Sendable (String) -> Void) {
        self.speed = speed
        self.path = path
        self.tasks = tasks
        self.output = output
    }

    /// The same, that much faster.
    func hastened(by factor: Double) -> Stage {
        Stage(speed: speed * factor, path: path, tasks: tasks, output: output)
    }

    /// A line of the scenario's own output.
    func say(_ line: String) {
        output(line)
    }

    /// That long at this stage's speed.
    func paced(_ duration: Duration) -> Duration {
        duration / speed
    }

    /// Blocks the calling thread, as a slow disk or a distant server would.
    func dawdle(_ duration: Duration) {
        Thread.sleep(forTimeInterval: paced(duration) / .seconds(1))
    }
}

/// A temporary directory that is removed with its content, at the latest when nobody holds it any more.
final class ScratchDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hopscope-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        remove()
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
