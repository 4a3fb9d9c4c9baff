// The smallest program with an inspector of its own: eight pages are fetched by two workers, one of them fails, and main shows them.
// In a package: .product(name: "Hopscope", package: "hopscope") among the target's dependencies.

import Hopscope

struct Throttled: Error {
    let page: Int
}

do {
    try Inspector.run {
        let net = ChainExecutor.pool(name: "net", width: 2)
        for page in 1...8 {
            ChainTask(on: net, name: "fetch \(page)") {
                if page == 3 { throw Throttled(page: page) }
                return page * page
            }
            .continueWith(on: .main, name: "show \(page)") { $0.error == nil ? "page \(page)" : "page \(page) is missing" }
        }
    }
} catch {
    print(error)
}
