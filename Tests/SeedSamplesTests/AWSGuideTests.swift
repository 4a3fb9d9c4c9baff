import AWSTasks
import Dispatch
import Foundation
import Testing

/// The samples of "iOS: Working with Asynchronous Tasks", one function each, with the original's text and line breaks (except in lines
/// of more than 140 columns); therefore they are not formatted.
///
/// Names of the SDK, of UIKit and of the standard library's output are members of this suite, so that every test has its own.
@Suite struct AWSGuideTests {
    private let log = SampleLog()
    private let failure = NSError(domain: "kinesis", code: 7)

    private func recorders(saveError: NSError? = nil, submitError: NSError? = nil) -> AWSKinesisRecorderClass {
        AWSKinesisRecorderClass(log: log, saveError: saveError, submitError: submitError)
    }

    private func print(_ line: String) {
        log.write(line)
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private func UIAlertView(
        title: String, message: String, delegate: AnyObject?, cancelButtonTitle: String
    ) -> UIAlertViewStandIn {
        UIAlertViewStandIn(log: log, text: title)
    }

    // MARK: Handling Asynchronous Method Returns with completionHandler

    // swift-format-ignore
    private func completionHandler(_ AWSFirehose: AWSFirehoseClass) {
        var firehose = AWSFirehose.default()
        firehose.putRecord(AWSFirehosePutRecordInput(),
            completionHandler: {(_ response: AWSFirehosePutRecordOutput?, _ error: Error?) -> Void in
            if error != nil {
                //handle error
                print("error \(response == nil)")
            }
            else {
                //handle response
                print("response \(response != nil)")
            }
        })
    }

    @Test("Handling Asynchronous Method Returns with completionHandler")
    func completionHandlerSample() {
        completionHandler(AWSFirehoseClass())
        completionHandler(AWSFirehoseClass(error: failure))
        #expect(log.lines == ["response true", "error true"])
    }

    // MARK: Handling Asynchronous Method Returns with AWSTask

    // swift-format-ignore
    private func consolidated(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let testData = "test-data".data(using: .utf8)
        kinesisRecorder?.saveRecord(testData, streamName: "test-stream-name")
            .continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            // Guaranteed to happen after saveRecord has executed and completed successfully.
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                print("Error: \(error)")
                return nil
            }

            return nil
        })
    }

    @Test("Handling Errors with AWSTask: saveRecord succeeded and submitAllRecords succeeded")
    func bothSucceed() async {
        let recorders = recorders()
        consolidated(recorders)
        await recorders.isDone()
        #expect(log.lines == ["save test-data", "submit"])
    }

    @Test("Handling Errors with AWSTask: saveRecord succeeded and submitAllRecords failed")
    func submitFails() async {
        let recorders = recorders(submitError: failure)
        consolidated(recorders)
        await recorders.isDone()
        #expect(log.lines == ["save test-data", "submit", "Error: \(failure)"])
    }

    @Test("Handling Errors with AWSTask: saveRecord failed")
    func saveFails() async {
        let recorders = recorders(saveError: failure)
        consolidated(recorders)
        await recorders.isDone()
        #expect(log.lines == ["save test-data", "Error: \(failure)"])
    }

    // MARK: Per Method Error Logic with AWSTask

    // swift-format-ignore
    private func perMethod(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let testData = "test-data".data(using: .utf8)
        kinesisRecorder?.saveRecord(testData, streamName: "test-stream-name")
            .continueWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            if let error = task.error as? NSError {
                print("Error from 'saveRecord:streamName:': \(error)")
                return nil
            }
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                print("Error from 'submitAllRecords': \(error)")
                return nil
            }

            return nil
        })
    }

    @Test("Per Method Error Logic with AWSTask")
    func perMethodErrorLogic() async {
        for (save, submit) in [(nil, nil), (failure, nil), (nil, failure)] {
            let recorders = recorders(saveError: save, submitError: submit)
            perMethod(recorders)
            await recorders.isDone()
        }
        #expect(
            log.lines == [
                "save test-data", "submit",
                "save test-data", "Error from 'saveRecord:streamName:': \(failure)",
                "save test-data", "submit", "Error from 'submitAllRecords': \(failure)",
            ])
    }

    // MARK: In Sequence

    // swift-format-ignore
    private func inSequence(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        var task = AWSTask<AnyObject>(result: nil)

        for i in 0...100 {
            task = task
            .continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
                return kinesisRecorder!.saveRecord(String(format: "TestString-%02d", i).data(using: .utf8), streamName: "YourStreamName")
            })
        }

        task.continueOnSuccessWith { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return kinesisRecorder?.submitAllRecords()
        }
    }

    @Test("In Sequence: 101 records, where the text says 100")
    func sequence() async {
        let recorders = recorders()
        inSequence(recorders)
        await recorders.isDone()
        #expect(log.lines == (0...100).map { "save " + String(format: "TestString-%02d", $0) } + ["submit"])
    }

    // MARK: In Parallel

    // swift-format-ignore
    private func inParallel(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        var tasks = Array<AWSTask<AnyObject>>()
        for i in 0...100 {
            tasks.append(kinesisRecorder!
                .saveRecord(String(format: "TestString-%02d", i).data(using: .utf8), streamName: "YourStreamName")!)
        }

        AWSTask(forCompletionOfAllTasks: tasks)
            .continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                print("Error: \(error)")
                return nil
            }

            return nil
        })
    }

    @Test("In Parallel: all 101, then submit; no submit and one error for all where they fail")
    func parallel() async {
        let succeeding = recorders()
        inParallel(succeeding)
        await succeeding.isDone()
        #expect(log.lines.count == 102)
        #expect(log.lines.last == "submit")
        let failing = recorders(saveError: failure)
        inParallel(failing)
        await failing.isDone()
        #expect(log.lines.count == 102 + 102)
        #expect(log.lines.last?.hasPrefix("Error: Error Domain=bolts Code=80175001") == true)
    }

    // MARK: Grand Central Dispatch

    // swift-format-ignore
    private func grandCentralDispatch(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let testData = "test-data".data(using: .utf8)
        kinesisRecorder?.saveRecord(testData, streamName: "test-stream-name")
            .continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                DispatchQueue.main.async(execute: {
                    let alertController = UIAlertView(title: "Error!", message: error.description, delegate: nil, cancelButtonTitle: "OK")
                    alertController.show()
                })
                return nil
            }

            return nil
        })
    }

    // MARK: AWSExecutor

    // swift-format-ignore
    private func awsExecutor(_ AWSKinesisRecorder: AWSKinesisRecorderClass) {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let testData = "test-data".data(using: .utf8)
        kinesisRecorder?.saveRecord(testData, streamName: "test-stream-name")
            .continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(executor: AWSExecutor.mainThread(), block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                let alertController = UIAlertView(title: "Error!", message: error.description, delegate: nil, cancelButtonTitle: "OK")
                alertController.show()
                return nil
            }

            return nil
        })
    }

    @Test("Executing a Block on the Main Thread with AWSTask: Grand Central Dispatch, AWSExecutor")
    func mainThread() async {
        for sample in [grandCentralDispatch, awsExecutor] {
            let recorders = recorders(submitError: failure)
            sample(recorders)
            await recorders.isDone()
        }
        let once = ["save test-data", "submit", "alert on main: Error!"]
        #expect(log.lines == once + once)
    }
}
