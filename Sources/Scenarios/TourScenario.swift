import Foundation
import Synchronization
import TaskRuntime

/// Plays scenarios of each guide, one after another.
struct Tour: Scenario {
    let name = "tour"
    let summary =
        "scenes of each guide one after another, some twenty seconds; each scene says what there is to see, and which key shows it"

    var tellsScenes: Bool { true }

    /// The scenarios, and the factor by which the tour speeds up each.
    private static let parts: [(scenario: any Scenario, haste: Double)] = [
        (KinesisSuccess(), 0.8), (KinesisSubmitFails(), 0.8), (KinesisSaveFails(), 0.5), (KinesisParallel(), 2),
        (GiniValedictorian(), 0.6), (GiniExtractions(), 1), (SwiftTaskAll(), 0.8), (AlecrimExclusive(), 1.5),
        (RecipesStream(), 2), (RecipesInvisibleError(), 1), (TourHash(), 1),
    ]

    func play(on stage: Stage, whenDone done: @escaping @Sendable () -> Void) {
        Self.play(Self.parts[...], on: stage, whenDone: done)
    }

    private static func play(
        _ parts: ArraySlice<(scenario: any Scenario, haste: Double)>, on stage: Stage, whenDone done: @escaping @Sendable () -> Void
    ) {
        guard let part = parts.first else { return done() }
        let number = Self.parts.count - parts.count + 1
        stage.scene("Scene \(number) of \(Self.parts.count), \(part.scenario.name): \(part.scenario.summary)")
        part.scenario.play(on: stage.hastened(by: part.haste)) {
            // Enqueued, so that no part is a continuation of the previous one.
            DispatchQueue.global().asyncAfter(deadline: .now() + stage.paced(.milliseconds(500)) / .seconds(1)) {
                play(parts.dropFirst(), on: stage, whenDone: done)
            }
        }
    }
}

/// The end of the tour: `hash` over `--path`, or over a small tree that it writes first.
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
