import AlecrimTasks
import Foundation

/// What the samples print, in place of the terminal.
final class AlecrimOutput: @unchecked Sendable {
    // The lines are behind the condition's lock.
    private let changed = NSCondition()
    private var all: [String] = []

    var lines: [String] { changed.withLock { all } }

    func print(_ line: String) {
        changed.withLock { all.append(line) }
        changed.broadcast()
    }

    /// Blocks until that many lines are there.
    func awaitLines(_ count: Int) {
        changed.withLock {
            while all.count < count { changed.wait() }
        }
    }
}

// MARK: CloudKit, as far as the sample uses it

final class CKQuery: Sendable {}

final class CKRecordZoneID: Sendable {}

struct CKRecord: Sendable, Equatable {
    let recordName: String
}

/// Answers on a thread of its own, as the real one does.
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
