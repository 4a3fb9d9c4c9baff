import AWSTasks
import Foundation
import TaskRuntime

/// A `KinesisRecorder` whose methods return `AWSTask`s, as in the SDK.
struct AWSKinesisRecorder: Sendable {
    private let recorder: KinesisRecorder
    private let pace: Duration

    /// `pace` is the time to save a record.
    init(_ stage: Stage, weakness: KinesisRecorder.Weakness = .none, pace: Duration = .milliseconds(350)) {
        recorder = KinesisRecorder(stage, weakness: weakness)
        self.pace = pace
    }

    /// Saves a record for the stream.
    func saveRecord(_ data: Data?, streamName: String, name: String = "saveRecord") -> AWSTask<AnyObject> {
        AWSTask(
            chain: ChainTask(on: KinesisRecorder.net, name: name) {
                try recorder.save(data ?? Data(), in: pace)
                return ObjectResult(nil)
            })
    }

    /// Moves the saved records to the stream; the result is their number.
    func submitAllRecords() -> AWSTask<AnyObject> {
        AWSTask(chain: ChainTask(on: KinesisRecorder.net, name: "submitAllRecords") { ObjectResult(try recorder.submit()) })
    }
}
