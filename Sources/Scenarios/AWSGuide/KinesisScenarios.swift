import Foundation
import TaskRuntime

// The AWS guide's "Handling Errors with AWSTask": save a record, submit it, and check for an error once, at the end.

struct KinesisSuccess: ChainScenario {
    let name = "kinesis-success"
    let summary = "AWS guide: saveRecord and submitAllRecords succeed; 2 Graph shows the chain and its hop onto main"

    func start(on stage: Stage) -> [AnyChainTask] {
        [saveThenSubmit(KinesisRecorder(stage), stage)]
    }
}

struct KinesisSubmitFails: ChainScenario {
    let name = "kinesis-submit-fails"
    let summary = "AWS guide: submitAllRecords fails; 5 Faults shows how its error reaches the last continuation, which handles it"

    func start(on stage: Stage) -> [AnyChainTask] {
        [saveThenSubmit(KinesisRecorder(stage, weakness: .hasNoStream), stage)]
    }
}

struct KinesisSaveFails: ChainScenario {
    let name = "kinesis-save-fails"
    let summary = "AWS guide: saveRecord fails; 2 Graph shows that submitAllRecords is skipped, 5 Faults which task handles the error"

    func start(on stage: Stage) -> [AnyChainTask] {
        [saveThenSubmit(KinesisRecorder(stage, weakness: .refusesRecords), stage)]
    }
}

private func saveThenSubmit(_ recorder: KinesisRecorder, _ stage: Stage) -> AnyChainTask {
    recorder.saveRecord(Data("test-data".utf8), streamName: "test-stream-name")
        .continueOnSuccessWithTask(name: "submitAllRecords") { recorder.submitAllRecords() }
        .continueWith(on: .main, name: "report") { report($0, stage) }
}

/// Prints the outcome. Reads a failed task's error, which ends here.
private func report(_ task: ChainTask<Int>, _ stage: Stage) {
    if let error = task.error {
        stage.say("Error: \(error)")
    } else if let count = task.result {
        stage.say("Submitted \(count) record\(count == 1 ? "" : "s").")
    }
}

/// The guide's "In Parallel": `for i in 0...100`, which makes 101 records (the guide says 100).
struct KinesisParallel: ChainScenario {
    let name = "kinesis-parallel"
    let summary = "AWS guide: 101 records saved in parallel; 3 Executors shows the queue of net, eight at a time, 2 Graph the join"

    func start(on stage: Stage) -> [AnyChainTask] {
        let recorder = KinesisRecorder(stage)
        let saves = (0...100).map { number in
            let record = String(format: "TestString-%02d", number)
            return recorder.saveRecord(Data(record.utf8), streamName: "YourStreamName", name: "saveRecord \(number)")
        }
        let end = ChainTask.whenAll(saves)
            .continueOnSuccessWithTask(name: "submitAllRecords") { recorder.submitAllRecords() }
            .continueWith(on: .main, name: "report") { report($0, stage) }
        return [end]
    }
}
