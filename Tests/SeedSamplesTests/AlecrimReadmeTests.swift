// The samples keep the README's text, with explicit returns and line breaks; comments name each difference.
// swift-format-ignore-file

import AlecrimTasks
import Foundation
import Testing

/// The code samples of the AlecrimAsyncKit README (seed 004), each named after its section.
///
/// One change is made in all of them: `await(task)` and `await { … }` become `` `await`(task) `` and `` `await` { … } ``, because
/// `await` is a keyword now and the former is an error in a synchronous function. Where nothing is awaited on main, the
/// test's own thread plays the background thread.
struct AlecrimReadmeTests {
    let output = AlecrimOutput()

    func print(_ item: Any) { output.print("\(item)") }

    // MARK: Failable tasks

    @Test(arguments: [1_000_000, 1_000])
    func failableTasks(limit: Int) {
        // this code is running in background
        do {
            // the task is started immediately
            let task = asyncCalculate()

            // we can do other things while the calculation is made...
            // ...

            // now we need the value
            let value = try `await`(task)       // the sample lacks `try`
            print("The result is \(value)")
        }
        catch let error {
            print(error)
        }

        // it is better to have "async" as a prefix to maintain consistency
        func asyncCalculate() -> Task<Int> {
            return async {
                var value = 0

                for i in 0..<1_000_000 {
                    value = i
                }

                if value >= limit {             // `i >= 1_000_000` in the sample, where there is no `i`
                    // when using async with a failable task, we can throw errors
                    throw NSError(domain: "sample", code: 1, userInfo: nil)
                }

                // when using async, we return the task value
                return value
            }
        }

        let error = NSError(domain: "sample", code: 1, userInfo: nil)
        #expect(output.lines == [limit == 1_000_000 ? "The result is 999999" : "\(error)"])
    }

    // MARK: Non-failable tasks

    @Test func nonFailableTasks() {
        // this code is running in background
        let value = `await` { asyncCalculate() }
        print("The result is \(value)")

        // it is better to have "async" as a prefix to maintain consistency
        func asyncCalculate() -> NonFailableTask<Int> {
            return async {
                var value = 0

                for i in 0..<1_000_000 {
                    value = i
                }

                // when using async, we return the task value
                return value
            }
        }

        #expect(output.lines == ["The result is 999999"])
    }

    // MARK: Async, extended

    @Test(arguments: [true, false])
    func asyncExtended(succeeds: Bool) {
        let (query, zoneID) = (CKQuery(), CKRecordZoneID())

        // some code running in background

        let database: CKDatabase = CKDatabase(
            answering: succeeds ? .success([CKRecord(recordName: "one"), CKRecord(recordName: "two")])
                : .failure(NSError(domain: "CKErrorDomain", code: 4, userInfo: nil)))

        do {
            let records = try `await`(database.asyncPerformQuery(query, inZoneWithID: zoneID))

            for record in records {
                print(record.recordName)
            }
        }
        catch let error {
            // do a nice error handling here
            print((error as NSError).domain)
        }

        #expect(output.lines == (succeeds ? ["one", "two"] : ["CKErrorDomain"]))
    }

    // MARK: Background queues

    @Test func backgroundQueues() throws {
        let someAlreadyCreatedOperationQueue = OperationQueue()
        someAlreadyCreatedOperationQueue.name = "already created"

        func asyncDoSomething() -> Task<Void> {
            return async(someAlreadyCreatedOperationQueue) {
                print(OperationQueue.current?.name ?? "?")
            }
        }

        try `await`(asyncDoSomething())
        #expect(output.lines == ["already created"])
    }

    // MARK: Conditions

    @Test(arguments: [true, false])
    func conditions(isAllowed: Bool) {
        func asyncDoSomething() -> Task<Void> {
            let condition = TaskCondition { result in
                if isAllowed {
                    result(.Satisfied)
                }
                else {
                    result(.FailedWithError(NSError(domain: "sample", code: 1, userInfo: nil)))
                }
            }

            return async(condition: condition) {
                print("The task was performed")
            }
        }

        do {
            try `await`(asyncDoSomething())
        }
        catch let error {
            print((error as NSError).domain)
        }

        // If any of the task conditions is not satisfied the task will not be started.
        #expect(output.lines == [isAllowed ? "The task was performed" : "sample"])
    }

    // MARK: Observers

    @Test func observers() throws {
        func asyncDoSomething() -> Task<Void> {
            let observer = TaskObserver()
                .didStart { _ in
                    print("The task was started...")
                }
                .didFinish { _ in
                    print("The task was finished...")
                }

            return async(observers: [observer]) {
                print("...")
            }
        }

        try `await`(asyncDoSomething())
        output.awaitLines(3)
        #expect(output.lines == ["The task was started...", "...", "The task was finished..."])
    }

    // MARK: Task cancellation

    /// The README describes this in words only: `asyncEx`, `cancel`, and a body that checks `cancelled`.
    @Test func taskCancellation() {
        let task: Task<Int> = asyncEx { task in
            while !task.cancelled {}
            print("The work was stopped")
        }
        let other: Task<Int> = asyncEx {
            $0.finishWithError(NSError(domain: NSCocoaErrorDomain, code: NSUserCancelledError, userInfo: nil))
        }
        task.cancel()
        for task in [task, other] {
            #expect(throws: NSError.self) { try `await`(task) }
            #expect(task.cancelled && (task.error as NSError?)?.code == NSUserCancelledError)
        }
    }

    // MARK: The main thread

    @Test(arguments: [1_000_000, 1_000])
    @MainActor func theMainThread(limit: Int) async {
        // this code is running on the main thread
        runTask(asyncCalculate()) { value, error in
            if let error = error {
                // do a nice error handling here
                print((error as NSError).domain)
            }
            else {
                print("The result is \(value!)")    // an implicitly unwrapped parameter in the sample, which Swift no longer has
            }
        }

        // it is better to have "async" as a prefix to maintain consistency
        func asyncCalculate() -> Task<Int> {
            return async {
                var value = 0

                for i in 0..<1_000_000 {
                    value = i
                }

                if value >= limit {             // `i >= 1_000_000` in the sample, where there is no `i`
                    // when using async with a failable task, we can throw errors
                    throw NSError(domain: "sample", code: 1, userInfo: nil)
                }

                // when using async, we return the task value
                return value
            }
        }

        while output.lines.isEmpty { await _Concurrency.Task.yield() }
        #expect(output.lines == [limit == 1_000_000 ? "The result is 999999" : "sample"])
    }

    /// "The difference between a failable task and a non-failable task when running them using `runTask` is that a non-failable does not
    /// have the `error` parameter in its `runTask` completion handler closure."
    @Test @MainActor func theMainThreadWithANonFailableTask() async {
        let task: NonFailableTask<Int> = async { 999_999 }
        runTask(task) { value in
            dispatchPrecondition(condition: .onQueue(.main))
            print("The result is \(value)")
        }
        while output.lines.isEmpty { await _Concurrency.Task.yield() }
        #expect(output.lines == ["The result is 999999"])
    }
}

// MARK: Async, extended

extension CKDatabase {

    public func asyncPerformQuery(_ query: CKQuery, inZoneWithID zoneID: CKRecordZoneID?) -> Task<[CKRecord]> {
        return asyncEx { task in
            self.performQuery(query, inZoneWithID: zoneID) { records, error in
                task.finishWithValue(records, error: error)
            }
        }
    }

}
