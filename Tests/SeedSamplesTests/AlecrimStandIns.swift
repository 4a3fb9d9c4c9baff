import AlecrimTasks
import Foundation
import Synchronization

/// What the samples print, in place of the terminal.
final class AlecrimOutput: Sendable {
    private let all = Mutex<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func print(_ line: String) { all.withLock { $0.append(line) } }

    /// Blocks until that many lines are there.
    func awaitLines(_ count: Int) {
        while lines.count < count {}
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
