import Foundation

/// Collects the samples' printed lines instead of the terminal.
final class AlecrimOutput: @unchecked Sendable {
    // The condition's lock guards the lines.
    private let changed = NSCondition()
    private var all: [String] = []

    var lines: [String] { changed.withLock { all } }

    func print(_ line: String) {
        changed.withLock { all.append(line) }
        changed.broadcast()
    }

    /// Blocks until that many lines have been printed.
    func awaitLines(_ count: Int) {
        changed.withLock {
            while all.count < count { changed.wait() }
        }
    }
}

// MARK: The part of CloudKit that the sample uses

final class CKQuery: Sendable {}

final class CKRecordZoneID: Sendable {}

struct CKRecord: Sendable, Equatable {
    let recordName: String
}

/// Answers on a thread of its own, as CloudKit does.
final class CKDatabase: Sendable {
    let answer: Result<[CKRecord], NSError>

    init(answering answer: Result<[CKRecord], NSError>) { self.answer = answer }

    func performQuery(
        _ query: CKQuery, inZoneWithID zoneID: CKRecordZoneID?, completionHandler: @escaping @Sendable ([CKRecord]?, NSError?) -> Void
    ) {
        Thread.detachNewThread { [answer] in
            switch answer {
            case .success(let records): completionHandler(records, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }
}
