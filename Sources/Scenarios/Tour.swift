import Foundation
import Synchronization
import TaskRuntime

/// Plays scenarios one after another.
struct Tour: Scenario {
    /// A scenario, and the factor by which the tour speeds it up.
    typealias Part = (scenario: any Scenario, haste: Double)

    let name: String
    let summary: String
    let parts: [Part]

    var tellsScenes: Bool { true }

    /// The demos in plain `async`/`await`, then the guides.
    static let whole = Tour(
        name: "tour",
        summary: "the problems above one after another, then the guides of the ported libraries, some fifty seconds; each scene says what "
            + "there is to see, and where",
        parts: zip(SwiftScene.all, [1.6, 1.4, 2.4, 2, 2.2]).map { ($0, $1) } + guides.parts)

    /// Scenarios of each guide.
    static let guides = Tour(
        name: "guides",
        summary:
            "scenes of each guide one after another, some twenty seconds; each scene says what there is to see, and which key shows it",
        parts: [
            (KinesisSuccess(), 0.8), (KinesisSubmitFails(), 0.8), (KinesisSaveFails(), 0.5), (KinesisParallel(), 2),
            (GiniValedictorian(), 0.6), (GiniExtractions(), 1), (SwiftTaskAll(), 0.8), (AlecrimExclusive(), 1.5),
            (RecipesStream(), 2), (RecipesInvisibleError(), 1), (TourHash(), 1),
        ])

    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        play(from: 0, on: stage, whenDone: done)
    }

    private func play(from index: Int, on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        guard index < parts.count else { return done() }
        let part = parts[index]
        stage.scene("Scene \(index + 1) of \(parts.count), \(part.scenario.name): \(part.scenario.summary)")
        part.scenario.play(on: stage.hastened(by: part.haste)) {
            // Enqueued, so that no part is a continuation of the previous one.
            DispatchQueue.global().asyncAfter(deadline: .now() + stage.paced(.milliseconds(500)) / .seconds(1)) {
                play(from: index + 1, on: stage, whenDone: done)
            }
        }
    }
}

/// The end of a tour: `hash` over `--path`, or over a small tree that it writes first.
private struct TourHash: Scenario {
    let name = "hash"
    let summary = HashTree().summary

    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        do {
            let tree = try stage.path == nil ? makeTree(stage) : nil
            let end = HashRun(stage, below: stage.path ?? tree?.url.path ?? ".").start()
            Countdown.wait(for: [end]) {
                // The last task ends on main, which must not block on deleting files.
                DispatchQueue.global().async {
                    tree?.remove()
                    done()
                }
            }
        } catch {
            stage.say("hash: no tree to read: \(error)")
            done()
        }
    }

    private func makeTree(_ stage: Stage) throws -> ScratchDirectory {
        let tree = try ScratchDirectory(in: stage.scratch)
        for directory in ["logs", "photos", "photos/2026", "mail"] {
            let url = tree.url.appendingPathComponent(directory)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for number in 1...60 {
                let line = "\(directory) \(number)\n"
                try Data(String(repeating: line, count: 40 * number).utf8).write(to: url.appendingPathComponent("\(number).txt"))
            }
        }
        return tree
    }
}
