// The smallest program with its own inspector: two workers fetch eight pages, one of which fails, and main shows them.
// The target's dependencies must include .product(name: "Hopscope", package: "hopscope").

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
