import AWSTasks
import Dispatch
import Foundation
import TaskRuntime

/// The guide's `GINIDocument`.
final class GiniDocument: NSObject, Sendable {
    let id: String
    let filename: String

    init(id: String, filename: String) {
        self.id = id
        self.filename = filename
    }
}

/// Stands in for the guide's SDK: a folder of documents, each a file of `name: value` lines, on a serial queue called `api`. Its methods
/// return Bolts' tasks.
final class GiniAPI: Sendable {
    private let stage: Stage
    private let folder: Result<ScratchDirectory, any Error>
    private let api = ChainExecutor.queue(DispatchQueue(label: "api"))

    init(_ stage: Stage) {
        self.stage = stage
        folder = Result {
            let folder = try ScratchDirectory(in: stage.scratch)
            let lines = ["amountToPay: 24.99:EUR", "paymentRecipient: Dr. Bloggs", "iban: DE02120300000000202051"]
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appendingPathComponent("1234-5678-9100.txt"))
            return folder
        }
    }

    /// The document with this id.
    func getDocument(withId id: String) -> BFTask<GiniDocument> {
        request("getDocumentWithId", in: .milliseconds(500)) { folder in
            let file = folder.appendingPathComponent("\(id).txt")
            _ = try file.checkResourceIsReachable()
            return GiniDocument(id: id, filename: file.lastPathComponent)
        }
    }

    /// A document's values by name.
    func getExtractions(for document: GiniDocument) -> BFTask<NSDictionary> {
        request("getExtractionsForDocument", in: .milliseconds(800)) { folder in
            let text = try String(contentsOf: folder.appendingPathComponent(document.filename), encoding: .utf8)
            let extractions = NSMutableDictionary()
            for line in text.split(separator: "\n") {
                let parts = line.components(separatedBy: ": ")
                extractions[parts[0]] = parts[1]
            }
            return extractions
        }
    }

    private func request<Answer: NSObject>(
        _ name: String, in pace: Duration, _ answer: @escaping @Sendable (URL) throws -> Answer
    ) -> BFTask<Answer> {
        BFTask(
            chain: ChainTask(on: api, name: name) { [self] in
                stage.dawdle(pace)
                return ObjectResult(try answer(try folder.get().url))
            })
    }
}
