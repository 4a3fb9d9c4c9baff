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
    /// Where scenarios keep their files.
    let scratch: ScratchSpace
    private let output: @Sendable (String) -> Void

    package init(
        speed: Double = 1, path: String? = nil, tasks: Int = 1000, scratch: ScratchSpace, output: @escaping @Sendable (String) -> Void
    ) {
        self.speed = speed
        self.path = path
        self.tasks = tasks
        self.scratch = scratch
        self.output = output
    }

    /// The same, that much faster.
    func hastened(by factor: Double) -> Stage {
        Stage(speed: speed * factor, path: path, tasks: tasks, scratch: scratch, output: output)
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
