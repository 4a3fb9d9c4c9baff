// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// Stand-ins for the parts of the SDK and of UIKit that the AWS guide's samples use. The optionals are those of the SDK's interface.

import AWSTasks
import Dispatch
import Foundation

/// Returns a test's own recorder from `AWSKinesisRecorder.default()`.
struct AWSKinesisRecorderClass {
    let log: SampleLog
    var saveError: NSError?
    var submitError: NSError?
    let work = DispatchGroup()

    func `default`() -> AWSKinesisRecorderStandIn! { AWSKinesisRecorderStandIn(self) }

    /// Returns when the recorders have nothing to do and main has run the jobs that they put there.
    func isDone() async {
        await withCheckedContinuation { done in work.notify(queue: .global()) { done.resume() } }
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }
}

/// Records its calls, on a queue of its own.
final class AWSKinesisRecorderStandIn: Sendable {
    private let kind: AWSKinesisRecorderClass
    private let queue = DispatchQueue(label: "kinesis")

    init(_ kind: AWSKinesisRecorderClass) {
        self.kind = kind
    }

    func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        perform("save \(String(decoding: data, as: UTF8.self))", kind.saveError)
    }

    func submitAllRecords() -> AWSTask<AnyObject>! {
        perform("submit", kind.submitError)
    }

    private func perform(_ line: String, _ error: NSError?) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        kind.work.enter()
        queue.async { [kind] in
            kind.log.write(line)
            if let error { source.set(error: error) } else { source.set(result: nil) }
            // By now the inline continuations have run and have requested their calls.
            kind.work.leave()
        }
        return source.task
    }
}

final class AWSFirehosePutRecordInput {}

final class AWSFirehosePutRecordOutput: NSObject {}

/// Like the SDK's services: the method with a completion handler calls the one that returns a task.
struct AWSFirehoseClass {
    var error: NSError?

    func `default`() -> AWSFirehoseClass { self }

    func putRecord(_ request: AWSFirehosePutRecordInput) -> AWSTask<AWSFirehosePutRecordOutput> {
        error.map { AWSTask(error: $0) } ?? AWSTask(result: AWSFirehosePutRecordOutput())
    }

    func putRecord(
        _ request: AWSFirehosePutRecordInput, completionHandler: (@Sendable (AWSFirehosePutRecordOutput?, Error?) -> Void)?
    ) {
        if let completionHandler { putRecord(request).handOver(to: completionHandler) }
    }
}

/// Records that it is shown, which is permitted on main only.
struct UIAlertViewStandIn {
    let log: SampleLog
    let text: String

    func show() {
        dispatchPrecondition(condition: .onQueue(.main))
        log.write("alert on main: \(text)")
    }
}
