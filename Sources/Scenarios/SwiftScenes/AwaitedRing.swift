import Synchronization

extension SwiftScene {
    static let awaitedRing = SwiftScene(
        "await-ring", words: "a deadlock: two tasks await each other, and neither can end",
        summary: "a cart waits for the prices, and the prices for the cart; other requests go on; Overview and w show the ring",
        openShop)
}

/// The loads in progress. A second request for the same value awaits the first load.
private final class Loads: Sendable {
    private let tasks = Mutex<[String: Task<Int, Never>]>([:])

    /// Begins two loads. Neither finds the other missing, however soon it asks.
    func begin(_ first: String, _ second: String, _ load: (String) -> Task<Int, Never>) {
        tasks.withLock { tasks in
            for name in [first, second] { tasks[name] = load(name) }
        }
    }

    func value(of name: String) async -> Int { await tasks.withLock { $0[name] }?.value ?? 0 }
}

private func loadCart(_ loads: Loads, _ pace: ScenePace) async -> Int {
    await pace.pause(milliseconds: 400)
    return await loads.value(of: "prices") + 1
}

private func loadPrices(_ loads: Loads, _ pace: ScenePace) async -> Int {
    await pace.pause(milliseconds: 500)
    return await loads.value(of: "cart") * 2
}

private func answer(_ request: Int, _ pace: ScenePace) async { await pace.pause(milliseconds: 30) }

@Sendable private func openShop(_ pace: ScenePace) async {
    let loads = Loads()
    loads.begin("cart", "prices") { name in
        Task(name: name) { await name == "cart" ? loadCart(loads, pace) : loadPrices(loads, pace) }
    }
    for request in 0..<60 {
        Task { await answer(request, pace) }
        await pace.pause(milliseconds: 200)
    }
}
