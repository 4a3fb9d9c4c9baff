import AWSTasks
import Foundation
import TaskRuntime

/// The guide's "In Sequence": `for i in 0...100`, which makes 101 records (the guide says 100), each a continuation of the one before.
struct KinesisSequence: ChainScenario {
    let name = "kinesis-sequence"
    let summary =
        "AWS guide: 101 records saved one after another; 2 Graph shows one chain as long as all of them, 3 Executors one job at a time"

    func start(on stage: Stage) -> [AnyChainTask] {
        let kinesisRecorder = AWSKinesisRecorder(stage, pace: .milliseconds(25))
        var task = AWSTask<AnyObject>(result: nil, name: "start")
        for i in 0...100 {
            task = task.continueOnSuccessWith(
                block: { _ in
                    let record = String(format: "TestString-%02d", i)
                    return kinesisRecorder.saveRecord(Data(record.utf8), streamName: "YourStreamName", name: "saveRecord \(i)")
                }, name: "then saveRecord \(i)")
        }
        let end =
            task
            .continueOnSuccessWith(block: { _ in kinesisRecorder.submitAllRecords() }, name: "then submitAllRecords")
            .continueWith(executor: .mainThread(), block: { report($0, stage) }, name: "report")
        return [end.chain]
    }

    private func report(_ task: AWSTask<AnyObject>, _ stage: Stage) -> AnyObject? {
        stage.say(task.error.map { "Error: \($0)" } ?? "Submitted \(task.result as? Int ?? 0) records.")
        return nil
    }
}
