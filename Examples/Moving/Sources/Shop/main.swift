/// A shop, written with Bolts. Before, it had `import Bolts`.
import AWSTasks
import Foundation

enum StoreError: Error {
    case soldOut(String)
}

final class Item: NSObject {
    let price: Int

    init(price: Int) {
        self.price = price
    }
}

final class Store {
    private let queue = DispatchQueue(label: "store")
    private let network = BFExecutor(dispatchQueue: DispatchQueue(label: "network"))
    private let stock = ["apple": 3, "pear": 0, "plum": 5]

    func find(_ name: String) -> BFTask<Item> {
        let source = BFTaskCompletionSource<Item>()
        queue.async {
            guard let count = self.stock[name], count > 0 else {
                source.set(error: StoreError.soldOut(name))
                return
            }
            source.set(result: Item(price: count * 10))
        }
        return source.task
    }

    func total(of names: [String]) -> BFTask<NSNumber> {
        // Changed: it was `find($0) as! BFTask<AnyObject>`.
        let finds = names.map { BFTask<AnyObject>(find($0)) }
        let total = BFTask<AnyObject>(forCompletionOfAllTasksWithResults: finds)
            .continueOnSuccessWith(executor: network) { task in
                NSNumber(value: (task.result as! [Item]).reduce(0) { $0 + $1.price })
            }
        // Changed: it was `total as! BFTask<NSNumber>`.
        return BFTask<NSNumber>(total)
    }
}

let store = Store()

store.total(of: ["apple", "plum"])
    .continueWith(
        executor: BFExecutor.mainThread(),
        block: { task -> Any? in
            print("together \(task.result!)")
            return store.total(of: ["apple", "pear"])
        }
    )
    .continueWith(executor: BFExecutor.mainThread()) { task in
        if let error = task.error { print("failed: \(error)") }
        exit(0)
    }

RunLoop.main.run()
