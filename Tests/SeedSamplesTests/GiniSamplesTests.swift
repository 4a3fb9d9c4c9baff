import AWSTasks
import Dispatch
import Foundation
import Testing

/// The samples of Gini's "Working with tasks", which largely repeats Bolts' introduction. The original is Objective-C; these are the
/// same samples in Swift, with Bolts' names. A comment names each mistake in an original sample.
@Suite struct GiniSamplesTests {
    private let log = SampleLog()
    private let failure = NSError(domain: "parse", code: 101)

    // MARK: Stand-ins

    private final class PFObject: NSObject, @unchecked Sendable {
        let name: String
        var fields: [String: Any] = [:]

        init(_ name: String) {
            self.name = name
        }

        func setObject(_ value: Any, forKey key: String) {
            fields[key] = value
        }
    }

    private final class PFQuery: NSObject, Sendable {}

    private final class GINIDocument: NSObject, Sendable {
        let filename = "invoice.pdf"
    }

    private final class DocumentTaskManager: Sendable {
        func getDocument(withId id: String) -> BFTask<GINIDocument> {
            BFTask(from: BFExecutor(dispatchQueue: .global()), with: { GINIDocument() })
        }

        func getExtractions(for document: GINIDocument?) -> BFTask<NSDictionary> {
            BFTask(from: BFExecutor(dispatchQueue: .global()), with: { ["amountToPay": "24.99:EUR of \(document?.filename ?? "nothing")"] })
        }
    }

    private struct SDK {
        let documentTaskManager = DocumentTaskManager()

        func getDocument(withId id: String) -> BFTask<GINIDocument> {
            documentTaskManager.getDocument(withId: id)
        }
    }

    private let sdk = SDK()

    private func saveAsync(_ object: PFObject) -> BFTask<PFObject> {
        log.write("save \(object.name)")
        return BFTask(result: object)
    }

    private func findAsync(_ query: PFQuery) -> BFTask<NSArray> {
        log.write("find")
        return BFTask(result: [PFObject("Ada"), PFObject("Grace")])
    }

    private func getNumberAsync() -> BFTask<NSNumber> {
        BFTask(result: 42)
    }

    private func ended(_ task: BFTask<AnyObject>) async -> BFTask<AnyObject> {
        await withCheckedContinuation { ended in
            task.continueWith(executor: .immediate()) { task in
                ended.resume(returning: task)
                return nil
            }
        }
    }

    // MARK: Tasks are a convenient way to abstract long operations

    private func inspect(_ task: BFTask<PFObject>) {
        task.continueWith { task in
            if task.isCancelled {
                // the save was cancelled.
                log.write("cancelled")
            } else if task.error != nil {
                // the save failed.
                log.write("failed")
            } else {
                // the object was saved successfully.
                let object = task.result
                log.write("saved \(object?.name ?? "nothing")")
            }
            return nil
        }
    }

    @Test("saveAsync continueWithBlock: cancelled, failed or saved")
    func continueWithBlock() {
        inspect(saveAsync(PFObject("Ada")))
        inspect(BFTask(error: failure))
        inspect(.cancelled())
        #expect(log.lines == ["save Ada", "saved Ada", "failed", "cancelled"])
    }

    /// Returns an NSString asynchronously. (The sample's block ends in `)];` instead of `}];`, and on Linux a format cannot
    /// take an `NSNumber`.)
    private func getStringAsync() -> BFTask<AnyObject> {
        // Let's suppose getNumberAsync returns a BFTask whose result is an NSNumber.
        getNumberAsync().continueWith { task in
            // This continuation block takes the NSNumber BFTask as input,
            // and provides an NSString as output.
            let number = task.result
            return "\(number ?? 0)"
        }
    }

    @Test("getStringAsync")
    func getString() {
        #expect(getStringAsync().result as? String == "42")
    }

    @Test("saveAsync continueWithSuccessBlock: skipped after an error")
    func continueWithSuccessBlock() {
        saveAsync(PFObject("Ada")).continueOnSuccessWith { _ in
            // the object was saved successfully.
            log.write("saved")
            return nil
        }
        let skipped = BFTask<PFObject>(error: failure).continueOnSuccessWith { _ in
            log.write("saved")
            return nil
        }
        #expect(log.lines == ["save Ada", "saved"])
        #expect(skipped.error as? NSError === failure)
    }

    @Test("Continue the second or nth time: executed immediately, with the same result")
    func continueTwice() {
        let task = saveAsync(PFObject("Ada"))
        for _ in 0..<2 {
            task.continueWith { task in
                log.write("\(task.result?.name ?? "nothing")")
                return nil
            }
        }
        #expect(log.lines == ["save Ada", "Ada", "Ada"])
    }

    // MARK: Tasks are chainable

    /// In the samples the second block returns nothing and uses `task`, although its parameter is `documentTask`.
    @Test("getDocumentWithId, continued with its name")
    func chain() async {
        let task = sdk.getDocument(withId: "1234-5678-9100").continueWith { documentTask in
            let document = documentTask.result
            return document?.filename
        }

        let last = task.continueWith { documentNameTask in
            // The result of the new task is the return value of the continuation block of the first task, thus the
            // document's filename
            log.write("\(documentNameTask.result ?? "nothing" as AnyObject)")
            return nil
        }
        _ = await ended(last)
        #expect(log.lines == ["invoice.pdf"])
    }

    @Test("The same in a more compact way")
    func compactChain() async {
        let last = sdk.getDocument(withId: "1234-5678-9100").continueWith { documentTask in
            let document = documentTask.result
            return document?.filename
        }.continueWith { documentNameTask in
            log.write("\(documentNameTask.result ?? "nothing" as AnyObject)")
            return nil
        }
        _ = await ended(last)
        #expect(log.lines == ["invoice.pdf"])
    }

    @Test("A returned task is waited for: the extractions of a document")
    func flattening() async {
        let last = sdk.getDocument(withId: "1234-5678-9100").continueOnSuccessWith { documentTask in
            // documentTask.result is a `GINIDocument*`. We now call another method of the documentTaskManager which
            // also returns a `BFTask*`
            sdk.documentTaskManager.getExtractions(for: documentTask.result)
        }.continueWith { extractionsTask in
            // This task's result property is now the dictionary with the extractions although `continueWithBlock:` was
            // called on the first task (the documentTask)!
            let extractions = extractionsTask.result as? [String: String]
            log.write(extractions?["amountToPay"] ?? "nothing")
            return nil
        }
        _ = await ended(last)
        #expect(log.lines == ["24.99:EUR of invoice.pdf"])
    }

    // MARK: Error handling

    /// "If you throw an exception inside a continuation, the resulting task will be faulted" holds for Bolts up to 1.8. A block of
    /// Bolts 1.9, and one in Swift, throws nothing and returns a task with an error, as this sample does.
    @Test("The valedictorian: an error is forwarded past a skipped block, then handled")
    func errorHandling() {
        let query = PFQuery()
        let last = findAsync(query).continueOnSuccessWith { task in
            let students = task.result
            let valedictorian = students?[0] as? PFObject
            valedictorian?.setObject(true, forKey: "valedictorian")
            // Force this callback to fail.
            return BFTask<AnyObject>(error: NSError(domain: "example.com", code: -1, userInfo: nil))
        }.continueOnSuccessWith { _ in
            // Now this continuation will be skipped.
            log.write("not to be reached")
            return findAsync(query)
        }.continueWith { task in
            if let error = task.error {
                // This error handler WILL be called.
                // The error will be the NSError returned above.
                // Let's handle the error by returning a new value.
                // The task will be completed with nil as its value.
                log.write("handled \((error as NSError).domain) \((error as NSError).code)")
                return nil
            }
            // This will also be skipped.
            let students = task.result as? NSArray
            let salutatorian = students?[1] as? PFObject
            salutatorian?.setObject(true, forKey: "salutatorian")
            return salutatorian.map { saveAsync($0) }
        }.continueOnSuccessWith { task in
            // Everything is done! This gets called.
            // The task's result is nil.
            log.write("done with \(task.result.map { "\($0)" } ?? "nil")")
            return nil
        }
        #expect(last.isCompleted && !last.isFaulted)
        #expect(log.lines == ["find", "handled example.com -1", "done with nil"])
    }

    // MARK: Tasks and Threads / Queues

    @Test("A custom executor that uses the main thread")
    func executorWithBlock() async {
        // Create a BFExecutor that uses the main thread.
        let myExecutor = BFExecutor(block: { block in
            DispatchQueue.main.async(execute: block)
        })

        // And use the Main Thread Executor like this. The executor applies only to the new
        // continuation being passed into continueWithBlock.
        let last = sdk.documentTaskManager.getDocument(withId: "1234-5678-9100").continueWith(executor: myExecutor) { task in
            let document = task.result
            dispatchPrecondition(condition: .onQueue(.main))
            log.write(document?.filename ?? "nothing")
            return nil
        }
        _ = await ended(last)
        #expect(log.lines == ["invoice.pdf"])
    }

    @Test("mainThreadExecutor")
    func mainThreadExecutor() async {
        // Continue on the Main Thread, using a built-in executor.
        let last = sdk.documentTaskManager.getDocument(withId: "1234-5678-9100").continueWith(executor: BFExecutor.mainThread()) { task in
            let document = task.result
            dispatchPrecondition(condition: .onQueue(.main))
            log.write(document?.filename ?? "nothing")
            return nil
        }
        _ = await ended(last)
        #expect(log.lines == ["invoice.pdf"])
    }
}
