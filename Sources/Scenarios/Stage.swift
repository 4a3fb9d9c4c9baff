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
    /// Is told of every task that `load` has made, and of every one that has ended, once it has: for a count that outlives the process.
    let note: (@Sendable (LoadNote) -> Void)?
    private let output: @Sendable (String) -> Void

    package init(
        speed: Double = 1, path: String? = nil, tasks: Int = 1000, scratch: ScratchSpace, note: (@Sendable (LoadNote) -> Void)? = nil,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.speed = speed
        self.path = path
        self.tasks = tasks
        self.scratch = scratch
        self.note = note
        self.output = output
    }

    /// The same, that much faster.
    func hastened(by factor: Double) -> Stage {
        Stage(speed: speed * factor, path: path, tasks: tasks, scratch: scratch, note: note, output: output)
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

    /// Suspends the calling Swift task for that long, at this stage's speed, or until it is cancelled.
    func pause(_ duration: Duration) async {
        try? await Task.sleep(for: paced(duration))
    }

    /// Lends `body` an empty directory; says so where there can be none, or where `body` fails.
    func withDirectory(_ body: (URL) throws -> Void) {
        do {
            let directory = try ScratchDirectory(in: scratch)
            defer { directory.remove() }
            try body(directory.url)
        } catch {
            say("This cannot be played here: \(error)")
        }
    }

    /// Work for a processor, on the calling thread: the hash of that many numbers; and what a slow machine would add.
    func hash(_ count: Int, in duration: Duration) -> UInt64 {
        dawdle(duration)
        return (0..<UInt64(count)).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }
}
