import AWSTasks
import Foundation
import TaskRuntime

/// The recorder as the SDK has it, whose methods return AWS's tasks.
struct AWSKinesisRecorder: Sendable {
    private let recorder: KinesisRecorder
    private let pace: Duration

    /// `pace` is how long it takes to keep a record.
    init(_ stage: Stage, weakness: KinesisRecorder.Weakness = .none, pace: Duration = .milliseconds(350)) {
        recorder = KinesisRecorder(stage, weakness: weakness)
        self.pace = pace
    }

    /// Keeps a record for the stream.
    func saveRecord(_ data: Data?, streamName: String, name: String = "saveRecord") -> AWSTask<AnyObject> {
        AWSTask(
            chain: ChainTask(on: KinesisRecorder.net, name: name) {
                try recorder.save(data ?? Data(), in: pace)
                return ObjectResult(nil)
            })
    }

    /// Moves what has been kept to the stream; the result is the number of records.
    func submitAllRecords() -> AWSTask<AnyObject> {
        AWSTask(chain: ChainTask(on: KinesisRecorder.net, name: "submitAllRecords") { ObjectResult(try recorder.submit()) })
    }
}
