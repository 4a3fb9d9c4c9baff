/// A demo in plain `async`/`await`. It is an unmodified program, which Hopscope runs under the probe.
package struct SwiftScene: Scenario {
    package let name: String
    /// The problem in a reader's own words.
    package let words: String
    /// A sentence that says what the program does, and which screen shows it.
    package let summary: String
    private let body: @Sendable (ScenePace) async -> Void

    init(_ name: String, words: String, summary: String, _ body: @escaping @Sendable (ScenePace) async -> Void) {
        (self.name, self.words, self.summary, self.body) = (name, words, summary, body)
    }

    /// Some of the scene's tasks may still wait when it has ended.
    package func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Task(name: name) {
            await body(ScenePace(speed: stage.speed, time: stage.time))
            done()
        }
    }
}
