/// An upload, written with the AWS SDK's tasks. Before, it had `import AWSCore`.
import AWSTasks
import Foundation

/// Stands for the SDK's client.
final class Storage {
    func put(_ key: String) -> AWSTask<NSString> {
        let source = AWSTaskCompletionSource<NSString>()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
            if key.hasPrefix("bad") {
                source.set(error: NSError(domain: "Storage", code: 3, userInfo: [NSLocalizedDescriptionKey: "denied \(key)"]))
            } else {
                source.set(result: key as NSString)
            }
        }
        return source.task
    }
}

let storage = Storage()

func upload(_ keys: [String]) -> AWSTask<AnyObject> {
    var tasks: [AWSTask<AnyObject>] = []
    for key in keys {
        tasks.append(
            storage.put(key).continueWith { task in
                guard let error = task.error as NSError? else { return task.result }
                return AWSTask<AnyObject>(error: error)
            })
    }
    return AWSTask<AnyObject>(forCompletionOfAllTasks: tasks)
}

upload(["a.png", "b.png"]).continueOnSuccessWith { (_: AWSTask<AnyObject>) -> Any? in
    print("first batch done")
    return upload(["c.png", "bad.png", "bad2.png"])
}.continueWith(executor: AWSExecutor.mainThread()) { (task: AWSTask<AnyObject>) -> AnyObject? in
    if let error = task.error as NSError?, error.domain == AWSTaskErrorDomain, error.code == kAWSMultipleErrorsError {
        print("\((error.userInfo[AWSTaskMultipleErrorsUserInfoKey] as! [NSError]).count) errors")
    }
    exit(0)
}

RunLoop.main.run()
