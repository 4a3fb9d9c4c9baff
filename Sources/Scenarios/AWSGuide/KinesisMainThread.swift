import AWSTasks
import Dispatch
import Foundation
import TaskRuntime

/// The guide's "Executing a Block on the Main Thread", both ways: with Grand Central Dispatch inside a block, and with an executor. Both
/// records are refused, so each way shows an alert.
struct KinesisMainThread: ChainScenario {
    let name = "kinesis-main-thread"
    let summary =
        "AWS guide: an alert on main, by Grand Central Dispatch and by AWSExecutor; 2 Graph shows that only the executor's hop shows"

    func start(on stage: Stage) -> [AnyChainTask] {
        byGrandCentralDispatch(stage) + byExecutor(stage)
    }

    private func byGrandCentralDispatch(_ stage: Stage) -> [AnyChainTask] {
        let alert = TaskCompletionSource<Void>(name: "alert by GCD")
        let end = saveThenSubmit(stage).continueWith(
            block: { task in
                guard let error = task.error else {
                    alert.setCancelled()
                    return nil
                }
                DispatchQueue.main.async {
                    stage.say("Error! \(error)")
                    alert.set(())
                }
                return nil
            }, name: "handle, then GCD")
        return [end.chain, alert.task]
    }

    private func byExecutor(_ stage: Stage) -> [AnyChainTask] {
        let end = saveThenSubmit(stage).continueWith(
            executor: .mainThread(),
            block: { task in
                if let error = task.error { stage.say("Error! \(error)") }
                return nil
            }, name: "handle on main")
        return [end.chain]
    }

    private func saveThenSubmit(_ stage: Stage) -> AWSTask<AnyObject> {
        let kinesisRecorder = AWSKinesisRecorder(stage, weakness: .refusesRecords)
        return kinesisRecorder.saveRecord(Data("test-data".utf8), streamName: "test-stream-name")
            .continueOnSuccessWith(block: { _ in kinesisRecorder.submitAllRecords() }, name: "then submitAllRecords")
    }
}
