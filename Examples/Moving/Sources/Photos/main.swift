/// A photo library, written with AlecrimAsyncKit 1.2. Before, it had `import AlecrimAsyncKit`.
import AlecrimTasks
import Foundation

final class Library {
    private let exclusive = MutuallyExclusiveTaskCondition("library")

    func asyncLoad(_ name: String) -> Task<Data> {
        asyncEx { task in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
                if name == "broken" {
                    task.finishWithError(NSError(domain: "photos", code: 1, userInfo: nil))
                } else {
                    task.finishWithValue(Data(name.utf8))
                }
            }
        }
    }

    func asyncSave(_ name: String) -> Task<Int> {
        async(condition: exclusive) {
            // Changed: it was `await(…)`, as below.
            try `await`(self.asyncLoad(name)).count
        }
    }
}

let library = Library()

func asyncAll() -> Task<Int> {
    async {
        var bytes = 0
        for task in ["one", "two", "three"].map({ library.asyncSave($0) }) {
            bytes += try `await`(task)
        }
        do {
            bytes += try `await` { library.asyncSave("broken") }
        } catch let error as NSError {
            print("left out: \(error.domain) \(error.code)")
        }
        return bytes
    }
}

runTask(asyncAll()) { bytes, error in
    print(error.map { "failed: \($0)" } ?? "\(bytes!) bytes")
    exit(0)
}

RunLoop.main.run()
