/// A downloader, written with SwiftTask. Only its import has changed.
import Foundation
import SwiftTasks

struct Empty: Error {}

func download(_ page: String) -> SwiftTask {
    let source = SwiftTaskCompletionSource()
    DispatchQueue.global().async {
        if page == "missing" {
            source.setCompletionValue(.Error(NSError(domain: "pages", code: 404, userInfo: nil)))
        } else {
            source.setCompletionValue(.Result(page as NSString))
        }
    }
    return source.task
}

func parse(_ text: AnyObject?) throws -> NSString {
    guard let text = text as? NSString, text.length > 0 else { throw Empty() }
    return text
}

SwiftTask.taskForCompletionOfAllTasks([download("one"), download("two")])
    .completionTaskWith { (_: SwiftTask!) -> AnyObject? in download("") }
    .completionTaskWith(
        { (task: SwiftTask!) -> AnyObject? in
            try parse(task.result)
        }, queue: DispatchQueue(label: "parser")
    )
    .dependentTaskOnMainQueueWith { (task: SwiftTask!) -> AnyObject? in
        switch task.completionValue {
        case .NotDone: print("this should not happen")
        case .Cancelled: print("cancelled")
        case .Exception(let exception): print("exception \(exception)")
        case .Error(let error): print("error \(error.localizedDescription)")
        case .Result(let result): print("result \(result!)")
        }
        return download("missing")
    }
    .dependentTaskOnMainQueueWith { (task: SwiftTask!) -> AnyObject? in
        if case .Error(let error) = task.completionValue { print("error \(error.code)") }
        exit(0)
    }

RunLoop.main.run()
