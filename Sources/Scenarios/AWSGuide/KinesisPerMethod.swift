import AWSTasks
import Foundation
import TaskRuntime

/// The guide's "Per Method Error Logic": a block after each call checks that call's error. Played twice at once: with an error of the first
/// call, and of the second.
struct KinesisPerMethod: ChainScenario {
    let name = "kinesis-per-method"
    let summary = "AWS guide: a handler behind each call; 5 Faults shows that each error ends at its own, and that the last one always runs"

    func start(on stage: Stage) -> [AnyChainTask] {
        [KinesisRecorder.Weakness.refusesRecords, .hasNoStream].map { weakness in
            let kinesisRecorder = AWSKinesisRecorder(stage, weakness: weakness)
            let end = kinesisRecorder.saveRecord(Data("test-data".utf8), streamName: "test-stream-name")
                .continueWith(
                    block: { task -> AWSTask<AnyObject>? in
                        if let error = task.error {
                            stage.say("Error from 'saveRecord:streamName:': \(error)")
                            return nil
                        }
                        return kinesisRecorder.submitAllRecords()
                    }, name: "check saveRecord"
                )
                .continueWith(
                    block: { task in
                        if let error = task.error { stage.say("Error from 'submitAllRecords': \(error)") }
                        return nil
                    }, name: "check submitAllRecords")
            return end.chain
        }
    }
}
