import Foundation
import SwiftTasks
import TaskRuntime

/// A stand-in for the README's `NSFetchedResultsController`: it reads a JSON file, which may be missing or corrupt, on a pool called
/// `files`.
struct FetchedFile: Sendable {
    enum State: Sendable {
        case good, missing, spoilt
    }

    private struct Notes: Codable {
        var titles: [String]
    }

    /// Stands in for Core Data's exception.
    private struct Inconsistency: Error, CustomStringConvertible {
        let description: String
    }

    private static let files = ChainExecutor.pool(name: "files", width: 4)

    private let stage: Stage
    private let directory: Result<ScratchDirectory, any Error>

    init(_ stage: Stage, _ state: State = .good) {
        self.stage = stage
        directory = Result {
            let directory = try ScratchDirectory(in: stage.scratch)
            let notes = try JSONEncoder().encode(Notes(titles: ["Tasks", "Queues", "Main"]))
            if state != .missing { try (state == .good ? notes : notes.dropLast()).write(to: Self.file(in: directory)) }
            return directory
        }
    }

    /// The README's wrapper: an error of the fetch is the task's error, and an exception is its exception.
    func performFetchWithTask(name: String = "performFetch") -> SwiftTask {
        let source = SwiftTaskCompletionSource(name: name)
        Self.files.execute {
            stage.dawdle(.milliseconds(500))
            MissingSwift.try(
                {
                    var error: NSError?
                    if let titles = try performFetch(&error) {
                        source.setResult(titles)
                    } else {
                        source.setError(error!)
                    }
                },
                catch: { raised in
                    source.trySetException(raised)
                })
        }
        return source.task
    }

    /// Returns the titles, or nil and an error. Throws if the file is corrupt.
    private func performFetch(_ error: inout NSError?) throws -> [String]? {
        guard let data = FileManager.default.contents(atPath: Self.file(in: try directory.get()).path) else {
            error = NSError(domain: "fetch", code: 260, userInfo: [NSLocalizedDescriptionKey: "There is no such file."])
            return nil
        }
        guard let notes = try? JSONDecoder().decode(Notes.self, from: data) else {
            throw Inconsistency(description: "\(data.count) bytes that are no notes")
        }
        return notes.titles
    }

    private static func file(in directory: ScratchDirectory) -> URL {
        directory.url.appendingPathComponent("notes.json")
    }
}
