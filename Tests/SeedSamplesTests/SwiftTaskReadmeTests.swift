// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import Testing

/// The samples of the SwiftTask README in Swift 6. A block has to return a value, so each has a `return nil` that the sample lacks.
@Suite struct SwiftTaskReadmeTests {
    private let log = SampleLog()
    private let failure = NSError(domain: "readme", code: 1, userInfo: [NSLocalizedDescriptionKey: "no luck"])

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private func NSLog(_ line: String) {
        log.write(line)
    }

    private struct Raised: Error {}

    private let ends = [
        SwiftTaskCompletionValue.Cancelled, .Exception(Raised()),
        .Error(NSError(domain: "readme", code: 1, userInfo: [NSLocalizedDescriptionKey: "no luck"])),
        .Result("value" as AnyObject),
    ]

    // MARK: CHANGES

    /// `case let .NotDone` binds nothing, so the README's `let` is left out. An exception is a Swift error.
    // swift-format-ignore
    private func withSwitch(_ functionThatReturnsAtTask: SwiftTask) {
        functionThatReturnsAtTask.dependentTaskWith { (task : SwiftTask!) -> AnyObject? in
                        switch task.completionValue {
                        case .NotDone:
                            assertionFailure("this shouldn't happen!")
                        case .Cancelled:
                            NSLog("cancelled")
                        case let .Exception(ex):
                            NSLog("exception \(ex)")
                        case let .Error(e):
                            NSLog("error \(e.localizedDescription)")
                        case let .Result(r):
                            NSLog("result = \(r.map { "\($0)" } ?? "nil")")
                        }
                        return nil
                      }
    }

    @Test("A switch over the completion value")
    func completionValue() async {
        for (index, value) in ends.enumerated() {
            withSwitch(SwiftTask(completionValue: value))
            _ = await log.lines(index + 1)
        }
        #expect(log.lines == ["cancelled", "exception Raised()", "error no luck", "result = value"])
    }

    // swift-format-ignore
    private func simplified(_ functionThatReturnsAtTask: SwiftTask) {
        functionThatReturnsAtTask.dependentTaskWith { (task : SwiftTask!) -> AnyObject? in
                        switch task.completionValue {
                        case let .Result(r):
                            NSLog("result = \(r.map { "\($0)" } ?? "nil")")
                        default:
                            NSLog("ug!")
                        }
                        return nil
                      }
    }

    @Test("Or simplify")
    func simplify() async {
        for (index, value) in ends.enumerated() {
            simplified(SwiftTask(completionValue: value))
            _ = await log.lines(index + 1)
        }
        #expect(log.lines == ["ug!", "ug!", "ug!", "result = value"])
    }

    // swift-format-ignore
    private func withoutSwitch(_ functionThatReturnsAtTask: SwiftTask) {
        functionThatReturnsAtTask.dependentTaskWith { (task : SwiftTask!) -> AnyObject? in
                        if task.completed {
                            NSLog("result = \(task.result.map { "\($0)" } ?? "nil")")
                            }
                        else {
                            NSLog("ug!")
                        }
                        return nil
                      }
    }

    @Test("Or without a switch: completed is any end, so the sample never prints ug")
    func completed() async {
        for (index, value) in ends.enumerated() {
            withoutSwitch(SwiftTask(completionValue: value))
            _ = await log.lines(index + 1)
        }
        #expect(log.lines == ["result = nil", "result = nil", "result = nil", "result = value"])
    }

    // MARK: SwiftTaskCompletionSource

    @Test("SwiftTaskCompletionSource: setCompletionValue, trySetCompletionValue")
    func completionSource() {
        let source = SwiftTaskCompletionSource()
        source.setCompletionValue(.Result("first" as AnyObject))
        #expect(!source.trySetCompletionValue(.Cancelled))
        #expect(source.task.result as? String == "first")
    }

    // MARK: What about all my Bolts Code!?

    @Test("The extensions of SwiftTask and BFTask")
    func bolts() async {
        let swiftTask = SwiftTask(completionValue: .Error(failure))
        let bfTask: BFTask<AnyObject> = swiftTask.bftask()
        #expect(bfTask.error as? NSError === failure)
        let andBack: SwiftTask = bfTask.swiftTask()
        guard case .Error(let error) = andBack.completionValue, case .Error(let same) = bfTask.completionValue else {
            Issue.record("the error is lost")
            return
        }
        #expect(error === failure && same === failure)
        bfTask.dependentTaskWith(
            { (task: SwiftTask!) -> AnyObject? in
                NSLog("\(task.completed)")
                return nil
            }, queue: nil)
        #expect(await log.lines(1) == ["true"])
    }

    @Test("It's also legal to return a BFTask")
    func returnsBFTask() async {
        let task = SwiftTask(completionValue: .Cancelled).dependentTaskWith { (task: SwiftTask!) -> AnyObject? in
            BFTask<NSString>(result: "of Bolts")
        }
        task.dependentTaskWith { (task: SwiftTask!) -> AnyObject? in
            NSLog("\(task.result ?? "nothing" as AnyObject)")
            return nil
        }
        #expect(await log.lines(1) == ["of Bolts"])
    }

    @Test("dependentTaskOnMainQueueWith, taskForCompletionOfAllTasks")
    func background() async {
        let both = SwiftTask.taskForCompletionOfAllTasks([
            SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in nil },
            SwiftTask(completionValue: .Result(nil)).completionTaskWith { _ in nil },
        ])
        both.dependentTaskOnMainQueueWith { (task: SwiftTask!) -> AnyObject? in
            dispatchPrecondition(condition: .onQueue(.main))
            NSLog("\(task.completed)")
            return nil
        }
        #expect(await log.lines(1) == ["true"])
    }

    // MARK: Didn't swift kill exceptions?

    @Test("performFetchWithTask: a result, an error or an exception")
    func missingSwift() {
        let tasks = [FetchEnd.succeeds, .fails(failure), .raises(Raised())].map { NSFetchedResultsController($0).performFetchWithTask() }
        #expect(tasks[0].result as? Bool == true)
        #expect(tasks[1].error as? NSError === failure)
        #expect(tasks[2].exception is Raised)
    }

    @Test("A default exception handler for dependentTaskWith")
    func defaultHandler() async {
        let task = SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in throw Raised() }
        task.dependentTaskWith { task in
            NSLog("\(task.exception.map { "\($0)" } ?? "none")")
            return nil
        }
        #expect(await log.lines(1) == ["Raised()"])
    }
}

/// A stand-in for Core Data's class, whose methods raise exceptions.
private final class NSFetchedResultsController {
    private let end: FetchEnd

    init(_ end: FetchEnd) {
        self.end = end
    }

    func performFetch(_ error: inout NSError?) throws -> Bool {
        switch end {
        case .succeeds: return true
        case .fails(let failure):
            error = failure
            return false
        case .raises(let raised): throw raised
        }
    }
}

private enum FetchEnd {
    case succeeds
    case fails(NSError)
    case raises(any Error)
}

/// The sample with `try` added: a call that raises in Objective-C throws in Swift.
// swift-format-ignore
extension NSFetchedResultsController {

    func performFetchWithTask() -> SwiftTask {

        var tcs = SwiftTaskCompletionSource()

        MissingSwift.try({ () -> Void in
            var error : NSError?
            let result = try self.performFetch(&error)

            if (result == false) {
                tcs.setError(error!)
            }
            else {
                tcs.setResult(result)
            }
            }, catch: { (exception: Error) -> Void in
                tcs.trySetException(exception)
                return;
            })

        return tcs.task
    }
}
