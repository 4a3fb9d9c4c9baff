import Foundation
import TaskEvents
import TaskRuntime

/// A scenario's pace, input and output.
package struct Stage: Sendable {
    /// The factor of the speed: a person can follow a scenario at 1, and 2 is twice as fast. It changes the pauses, not the work.
    package let speed: Double
    /// The directory that `hash` reads.
    package let path: String?
    /// The number of tasks that `load` makes.
    package let tasks: Int
    /// The directory for the scenarios' files.
    let scratch: ScratchSpace
    let time: TimeSource
    /// Called after each task that `load` makes and after the end of each, to keep a count outside the process.
    let note: (@Sendable (LoadNote) -> Void)?
    /// Called when another scene begins, with what there is to see in it. Nil if scenes are lines of the output.
    private let scenes: (@Sendable (String) -> Void)?
    private let output: @Sendable (String) -> Void

    package init(
        speed: Double = 1, path: String? = nil, tasks: Int = 1000, scratch: ScratchSpace, time: TimeSource,
        note: (@Sendable (LoadNote) -> Void)? = nil, scenes: (@Sendable (String) -> Void)? = nil,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.speed = speed
        self.path = path
        self.tasks = tasks
        self.scratch = scratch
        self.time = time
        self.note = note
        self.scenes = scenes
        self.output = output
    }

    /// The same stage, `factor` times faster.
    func hastened(by factor: Double) -> Stage {
        Stage(
            speed: speed * factor, path: path, tasks: tasks, scratch: scratch, time: time, note: note, scenes: scenes,
            output: output)
    }

    /// Prints a line of the scenario's output.
    func say(_ line: String) {
        output(line)
    }

    /// Says what there is to see from now on, and which key shows it.
    package func scene(_ text: String) {
        if let scenes { scenes(text) } else { output(text) }
    }

    /// A duration at this stage's speed.
    func paced(_ duration: Duration) -> Duration {
        duration / speed
    }

    /// Blocks the calling thread, like a slow disk or server.
    func dawdle(_ duration: Duration) {
        Thread.sleep(forTimeInterval: paced(duration) / .seconds(1))
    }

    /// Suspends the calling Swift task for a duration at this stage's speed, or until it is cancelled.
    func pause(_ duration: Duration) async {
        try? await Task.sleep(for: paced(duration))
    }

    /// Calls `body` with an empty directory. Prints a line if the directory cannot be made, or if `body` throws.
    func withDirectory(_ body: (URL) throws -> Void) {
        do {
            let directory = try ScratchDirectory(in: scratch)
            defer { directory.remove() }
            try body(directory.url)
        } catch {
            say("This cannot be played here: \(error)")
        }
    }

    /// Blocks for a duration, then hashes `count` numbers on the calling thread.
    func hash(_ count: Int, in duration: Duration) -> UInt64 {
        dawdle(duration)
        return (0..<UInt64(count)).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }
}

/// The progress of `load`.
package enum LoadNote: Sendable {
    case made, ended
}
