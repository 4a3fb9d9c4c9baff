import TaskEvents

/// The times of a scene, which `--speed` divides.
struct ScenePace: Sendable {
    let speed: Double
    let time: TimeSource

    /// Suspends the task.
    func pause(milliseconds: Double) async { try? await Task.sleep(for: .milliseconds(milliseconds / speed)) }

    /// Works on a processor.
    func work(milliseconds: Double) {
        let end = time.now + UInt64(milliseconds * 1_000_000 / speed)
        while time.now < end {}
    }
}
